package memory

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/memory/savefile"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

func three() map[string]string { return map[string]string{"a": "1", "b": "1", "c": "1"} }

// TestTheNextProcessKnows saves while a process runs, and at its end. The next one is given what was saved, and decodes only
// what has another version by then.
func TestTheNextProcessKnows(t *testing.T) {
	for name, end := range map[string]func(*process){"killed": func(p *process) { p.read(); p.save(); p.kill() }, "ended": (*process).finish} {
		t.Run(name, func(t *testing.T) {
			at := newPlace(t)
			end(at.start(t, three()))
			next := at.start(t, map[string]string{"a": "1", "b": "2", "d": "3"})
			if got := next.read(); !maps.Equal(got, three()) {
				t.Errorf("the next process is given %v, want %v", got, three())
			}
			slices.Sort(next.decoded)
			if want := []string{"b", "c"}; !slices.Equal(next.decoded, want) {
				t.Errorf("decoded %v, want %v", next.decoded, want)
			}
			if lines := next.log(); len(lines) > 0 {
				t.Errorf("the log has %q", lines)
			}
		})
	}
}

// TestWhatIsRefused starts a process that can't use what was saved. It says so in one line, and saves as ever.
func TestWhatIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, p *place)
		why    string
	}{
		"another cluster": {func(_ *testing.T, p *place) { p.uid = "two" }, "another cluster"},
		"other selectors": {func(_ *testing.T, p *place) { p.print = "some" }, "other selectors"},
		"another key":     {func(_ *testing.T, p *place) { p.key = make([]byte, 16) }, "key"},
		"an older format": {func(t *testing.T, p *place) {
			t.Helper()
			begin(t, p, `{"Format":2,"Cluster":"uid one","Print":"all"}`)
		}, "has the format 2"},
		"a newer format": {func(t *testing.T, p *place) { t.Helper(); begin(t, p, `{"Format":4,"Cluster":{"uid":"one"}}`) }, "has the format 4"},
		"no header":      {func(t *testing.T, p *place) { t.Helper(); begin(t, p, `what is this`) }, "read the header"},
		"another field":  {func(t *testing.T, p *place) { t.Helper(); begin(t, p, `{"Format":3,"Cluster":1}`) }, "read the header"},
		"a foreign file": {func(t *testing.T, p *place) {
			t.Helper()
			eachFile(t, p.dir, func(path string) error { return os.WriteFile(path, []byte("notes of somebody else"), 0o600) })
		}, "does not begin as a saved file does"},
	} {
		t.Run(name, func(t *testing.T) {
			at := newPlace(t)
			at.start(t, three()).finish()
			c.change(t, at)
			second := at.start(t, three())
			if got := second.read(); got != nil {
				t.Errorf("the second process is given %v", got)
			}
			if lines := second.log(); len(lines) != 1 || !strings.Contains(lines[0], c.why) {
				t.Errorf("the log has %q, want one line with %q", lines, c.why)
			}
			second.finish()
			if got := at.start(t, three()).read(); !maps.Equal(got, three()) {
				t.Errorf("the third process is given %v", got)
			}
		})
	}
}

// begin replaces the file of the kind by one with another header.
func begin(t *testing.T, p *place, text string) {
	t.Helper()
	dir, err := savefile.Open(p.dir, savefile.Options{Key: p.key})
	must(t, err)
	w, err := dir.Create(kindName, []byte(text))
	if err == nil {
		err = errors.Join(w.Finish(), dir.Close())
	}
	must(t, err)
}

func eachFile(t *testing.T, dir string, do func(path string) error) {
	t.Helper()
	for name := range files(t, dir) {
		must(t, do(filepath.Join(dir, name)))
	}
}

// TestASecondProcess reads while another one has the directory, and saves when that has ended.
func TestASecondProcess(t *testing.T) {
	at := newPlace(t)
	at.start(t, three()).finish()
	first := at.start(t, three())
	first.read()
	second := at.start(t, map[string]string{"a": "2"})
	if got := second.read(); !maps.Equal(got, three()) {
		t.Errorf("the second process is given %v", got)
	}
	before := files(t, at.dir)
	second.save()
	if !sameFiles(before, files(t, at.dir)) {
		t.Error("the second process has written")
	}
	first.finish()
	second.save()
	if got := at.start(t, nil).read(); !maps.Equal(got, second.objects) {
		t.Errorf("the next one is given %v, want what the second has saved", got)
	}
	if lines := second.log(); len(lines) != 2 || !strings.Contains(lines[0], "Another process") || !strings.Contains(lines[1], "free") {
		t.Errorf("the log of the second has %q", lines)
	}
}

// TestNothingIsWrittenWhenIdle sees that a state is saved once.
func TestNothingIsWrittenWhenIdle(t *testing.T) {
	at := newPlace(t)
	p := at.start(t, three())
	p.read()
	p.save()
	before := files(t, at.dir)
	p.save()
	if !sameFiles(before, files(t, at.dir)) || p.encoded != len(three()) {
		t.Errorf("written again: %d objects were encoded", p.encoded)
	}
}

// TestAKindWhosePastNobodyHasAskedForIsKept sees that what an earlier process saved stays until somebody was told of it, or nobody will be.
func TestAKindWhosePastNobodyHasAskedForIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := newPlace(t)
		at.start(t, three()).finish()
		p := at.start(t, nil)
		p.save()
		if got := p.read(); !maps.Equal(got, three()) {
			t.Fatalf("what was saved is %v by now", got)
		}
		p.kill()
		late := at.start(t, map[string]string{"z": "9"})
		time.Sleep(pastFor)
		late.save()
		if !late.forgot {
			t.Error("the informer still has what was saved")
		}
		late.kill()
		if got := at.start(t, nil).read(); !maps.Equal(got, late.objects) {
			t.Errorf("the next one is given %v", got)
		}
	})
}

// TestAKindThatNobodyKnows sees that the files of other kinds are there until a process ends that has none of them, and has run for so
// long that its controllers would have asked for them. A process that ends earlier may never have led. It leaves what nobody was told of.
func TestAKindThatNobodyKnows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := newPlace(t)
		other := &things{at: at, print: "all", objects: three()}
		first := at.start(t, three())
		first.memory.AddKind("v1 Other", other)
		first.finish()
		known := func() (others bool) {
			p := at.start(t, nil)
			defer p.kill()
			if got := p.read(); !maps.Equal(got, three()) {
				t.Errorf("the next one is given %v", got)
			}
			return p.memory.Read(t.Context(), "v1 Other", other, func(delta.Key) (any, bool) { return nil, false }) != nil
		}
		for what, end := range map[string]func(){
			"runs": func() {
				p := at.start(t, three())
				p.read()
				p.save()
				p.kill()
			},
			"has not listed": func() {
				p := at.start(t, three())
				p.unlisted = true
				p.finish()
			},
			"has never led": func() { at.start(t, map[string]string{"a": "2"}).finish() },
			"has led for a moment": func() {
				p := at.start(t, three())
				p.read()
				p.finish()
			},
		} {
			if end(); !known() {
				t.Errorf("a process that %s has removed what it knows nothing of", what)
			}
		}
		last := at.start(t, three())
		time.Sleep(pastFor)
		last.finish()
		if known() {
			t.Error("what a process knew nothing of is there after its end")
		}
	})
}

// TestAKindThatCannotBeSaved sees that the others are, that the log says it once, and that the kind counts against the share of a
// processor all the same.
func TestAKindThatCannotBeSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := newPlace(t)
		at.every = time.Second
		p := at.start(t, three())
		broken := &things{at: at, objects: three(), broken: errors.New("it is broken"), slow: 2 * time.Second}
		p.memory.AddKind("a broken one", broken)
		p.memory.Read(t.Context(), "a broken one", broken, nil)
		p.read()
		done := make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		go func() { defer close(done); p.memory.Run(ctx) }()
		time.Sleep(time.Hour)
		stop()
		<-done
		if busy := time.Duration(broken.encoded) * broken.slow; busy > time.Hour/share+broken.slow || broken.encoded < 2 {
			t.Errorf("saving took %v of an hour, in %d tries", busy, broken.encoded)
		}
		if lines := p.log(); len(lines) != 1 || !strings.Contains(lines[0], "a broken one") {
			t.Errorf("the log has %q", lines)
		}
		p.kill()
		if got := at.start(t, nil).read(); !maps.Equal(got, three()) {
			t.Errorf("the next process is given %v", got)
		}
	})
}

// TestWhichClusterItIs sees that those who may not read kube-system tell clusters apart by what their authority is, not by where its file is.
func TestWhichClusterItIs(t *testing.T) {
	at := newPlace(t)
	at.forbidden = true
	at.config.CAFile = filepath.Join(t.TempDir(), "ca.crt")
	write := func(text string) {
		must(t, os.WriteFile(at.config.CAFile, []byte(text), 0o600))
	}
	tell := func() string {
		found, err := Server{Config: &at.config, HTTP: (&things{at: at}).Server().HTTP}.cluster(t.Context())
		must(t, err)
		return found
	}
	write("one")
	one := tell()
	if again := tell(); again != one {
		t.Errorf("the same cluster is %s and %s", one, again)
	}
	write("two")
	if two := tell(); two == one {
		t.Error("another authority is taken for the same cluster")
	}
}

// TestADirectoryThatCannotBeUsed sees that the log says so once, and that nothing else happens.
func TestADirectoryThatCannotBeUsed(t *testing.T) {
	at := newPlace(t)
	at.dir = filepath.Join(at.dir, "file")
	must(t, os.WriteFile(at.dir, nil, 0o600))
	p := at.start(t, three())
	if got := p.read(); got != nil {
		t.Errorf("given %v", got)
	}
	p.save()
	p.finish()
	if lines := p.log(); len(lines) == 0 || !strings.Contains(lines[0], "nothing is saved") {
		t.Errorf("the log has %q", lines)
	}
}
