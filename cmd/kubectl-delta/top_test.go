package main

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// terminal takes what is drawn, frame by frame.
type terminal struct{ frames chan string }

func (t terminal) Write(text []byte) (int, error) {
	t.frames <- string(text)
	return len(text), nil
}

// TestTopIsDrawnAgain has an operator that ends and comes back, in a terminal that is smaller than what there is to say.
func TestTopIsDrawnAgain(t *testing.T) {
	var away atomic.Bool
	i := healthy()
	i.answers["now"] = func(*http.Request) any {
		if away.Load() {
			return v1.Problem{Status: http.StatusServiceUnavailable, Message: "the operator ends"}
		}
		return current()
	}
	ctx := t.Context()
	screen, errOut := terminal{make(chan string)}, &bytes.Buffer{}
	p := newProgram(screen, errOut, func(string) string { return "" })
	p.pause = time.Millisecond
	const width, height = 60, 9
	p.size = func() (int, int, bool) { return width, height, true }
	typed, hand := io.Pipe()
	defer func() { _ = hand.Close() }()
	p.keyboard = func() (io.Reader, func()) { return typed, func() {} }
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, []string{"top", "--url", inspect(t, i)}, p) }()
	frame := func(has string) string {
		t.Helper()
		for deadline := time.After(30 * time.Second); ; {
			select {
			case text := <-screen.frames:
				if strings.Contains(text, has) {
					return text
				}
			case <-deadline:
				t.Fatalf("no frame has %q", has)
			}
		}
	}
	text, whole := strings.CutPrefix(frame("site-operator  v1.2.0"), home)
	lines := strings.Split(strings.TrimSuffix(text, "\r\n"), "\r\n")
	if !whole || len(lines) != height-1 || strings.Contains(text, "\x1b") {
		t.Errorf("a frame has %d lines: %q", len(lines), text)
	}
	for _, line := range lines {
		if n := len([]rune(line)); n > width {
			t.Errorf("a line has %d columns: %s", n, line)
		}
	}
	away.Store(true)
	if text = frame("All below is old"); strings.Count(text, "All below is old") != 1 || !strings.Contains(text, "site-operator  v1.2.0") {
		t.Errorf("while the operator is gone a frame is %q", text)
	}
	if text = frame("All below is old"); strings.Count(text, "All below is old") != 1 {
		t.Errorf("and the next one is %q", text)
	}
	away.Store(false)
	frame(home + "The arrow keys")
	press := func(keys string) { go func() { _, _ = io.WriteString(hand, keys) }() } // it may have to wait until a frame is taken
	frame("> Failing")                                                               // the kind above it is not an object
	press("j")
	frame("> Loop: hpa")
	press("\x1b[Ak\x1b[A") // more often than there are lines
	frame("> Failing")
	press("\r")
	text = frame("demo/blog  in the cache")
	press("\x1b[B")
	for whole := text; text == whole; { // until the first line has gone
		text = frame("Backspace goes back")
	}
	press("\x7f")
	frame("> Failing")
	press("q")
	for {
		select {
		case <-screen.frames:
			continue
		case code := <-ended:
			if code != exitFine || errOut.Len() > 0 {
				t.Errorf("it ended with %d and said %q", code, errOut)
			}
		}
		return
	}
}

// TestTopOfAnOperatorThatIsNotThere ends at once: nothing was shown yet that could be old.
func TestTopOfAnOperatorThatIsNotThere(t *testing.T) {
	i := healthy()
	i.answers["now"] = v1.Problem{Status: http.StatusForbidden, Message: "you may not"}
	var out, errOut bytes.Buffer
	p := newProgram(&out, &errOut, func(string) string { return "" })
	p.size = func() (int, int, bool) { return 80, 25, true }
	if code := run(t.Context(), []string{"top", "--url", inspect(t, i)}, p); code != exitError || !strings.Contains(errOut.String(), "you may not") || out.Len() > 0 {
		t.Errorf("it ended with %d, wrote %q and said %q", code, &out, &errOut)
	}
}

// TestTopOfOddNumbers has samples that no operator of ours takes.
func TestTopOfOddNumbers(t *testing.T) {
	for name, past := range map[string]v1.Past{
		"lists of different lengths": {EverySeconds: 10, Calls: []uint64{1}},
		"negative numbers":           {EverySeconds: -1, Calls: []uint64{0, 0}, Queued: []int{-1, -5, 3}, P99Seconds: []float64{-2}},
		"no time between":            {Calls: []uint64{1}, Errors: []uint64{1 << 63}},
		"all that is negative":       {EverySeconds: 10, Calls: []uint64{1}, Queued: []int{-1, -5}},
	} {
		t.Run(name, func(t *testing.T) {
			i := healthy()
			i.answers["now"] = v1.Now{At: now, Program: v1.Program{Leads: true}, Past: past}
			if got := runs(t.Context(), "top", "--url", inspect(t, i)); got.code != exitFine || !strings.Contains(got.out, "calls") || !strings.Contains(got.out, "All is well.") {
				t.Errorf("it ended with %d, wrote %q and said %q", got.code, got.out, got.errOut)
			}
		})
	}
}

func FuzzKeys(f *testing.F) {
	for _, typed := range []string{"q", "\x1b[A", "\x1b", "\x1b[", "\x1bOB\r", "jk\x7f", "ä"} {
		f.Add([]byte(typed))
	}
	f.Fuzz(func(t *testing.T, typed []byte) {
		if n := len(keysIn(typed)); n > len(typed) {
			t.Errorf("%q has %d keys", typed, n)
		}
	})
}

func TestKeys(t *testing.T) {
	for typed, want := range map[string][]key{
		"\x1b[A\x1bOB\r": {up, down, enter}, "\x1b": {back}, "x\x03": {quit}, "\x1b[": {back}, "\x1b[Zq": {quit}, "": nil,
	} {
		if got := keysIn([]byte(typed)); !slices.Equal(got, want) {
			t.Errorf("%q has the keys %v, want %v", typed, got, want)
		}
	}
}
