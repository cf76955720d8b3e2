package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
)

var abc = []string{"a", "b", "c"}

func three() map[string]string { return map[string]string{"a": "1", "b": "1", "c": "1"} }

// TestTheNextProcessKnows saves while a process runs, and at its end. The next one begins with the objects, and knows of each
// request that had succeeded and that no worker has taken since.
func TestTheNextProcessKnows(t *testing.T) {
	at := newPlace(t)
	first := at.start(t, three())
	first.succeed("a", "b")
	first.save()
	first.clerk.Take(request("a"))
	first.kill()

	second := at.start(t, nil)
	if !slices.Equal(second.recalled, abc) {
		t.Errorf("the second process begins with %v", second.recalled)
	}
	if got := second.complete(abc...); !slices.Equal(got, []string{"b"}) {
		t.Errorf("the second process knows everything of %v, and not of b alone", got)
	}
	second.kill()

	third := at.start(t, nil)
	if got := third.complete(abc...); len(got) > 0 {
		t.Errorf("the third process knows everything of %v, which the second has taken without success", got)
	}
	for _, name := range abc {
		third.clerk.Settle(request(name), ledger.Succeeded)
	}
	third.finish()

	fourth := at.start(t, nil)
	if got := fourth.complete(abc...); !slices.Equal(got, abc) {
		t.Errorf("the fourth process knows everything of %v, and not of all", got)
	}
}

// TestWhatIsRefused starts a process that can't believe what was saved. It does not, and says so. Nor does the process after it
// believe the ledgers, which may be one that could again: nobody has noted what was done in between.
func TestWhatIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*place)
		objects bool // are believed
		later   bool // the objects are believed by the one that saved them
		noted   bool // the ledgers are, because what was done in between is noted
	}{
		"another version":     {change: func(p *place) { p.program = Program{"2", "2"} }, later: true},
		"other arguments":     {change: func(p *place) { p.program.Config = "2" }, objects: true, later: true},
		"another cluster":     {change: func(p *place) { p.uid = "other" }, later: true, noted: true},
		"another description": {change: func(p *place) { p.hash = "2" }, later: true, noted: true},
		"no description":      {change: func(p *place) { p.hash = "" }, later: true, noted: true},
		"other selectors":     {change: func(p *place) { p.print = "some" }, later: true, noted: true},
		"another key":         {change: func(p *place) { p.key = make([]byte, 16) }},
		"an unknown version":  {change: func(p *place) { p.program.Build = "" }, later: true},
		"nothing has changed": {change: func(*place) {}, objects: true, later: true, noted: true},
	} {
		t.Run(name, func(t *testing.T) {
			at := newPlace(t)
			first := at.start(t, three())
			first.succeed(abc...)
			first.finish()

			other := *at
			c.change(&other)
			at.uid, at.hash = other.uid, other.hash // which the one server says
			second := other.start(t, three())
			if (second.recalled != nil) != c.objects {
				t.Errorf("the second process begins with %v", second.recalled)
			}
			same := name == "nothing has changed"
			if got := second.complete("a"); (len(got) > 0) != same {
				t.Errorf("the second process knows everything of %v", got)
			}
			second.kill()

			at.uid, at.hash = "cluster", "1"
			third := at.start(t, three())
			if (third.recalled != nil) != c.later {
				t.Errorf("the third process begins with %v", third.recalled)
			}
			if got := third.complete("a"); len(got) > 0 {
				t.Errorf("the third process knows everything of a, which the second has taken and nobody has dealt with")
			}
			if got := third.complete("b"); len(got) > 0 && !c.noted {
				t.Errorf("the third process knows everything of %v", got)
			}
		})
	}
}

// TestADamagedFileIsRefused spoils each file in many ways. The next process believes what was saved, or nothing.
func TestADamagedFileIsRefused(t *testing.T) {
	for _, end := range []string{"saved", "finished"} {
		t.Run(end, func(t *testing.T) {
			at := newPlace(t)
			first := at.start(t, three())
			first.succeed("a", "b")
			if end == "saved" {
				first.save()
				first.clerk.Take(request("a"))
				first.kill()
			} else {
				first.finish()
			}
			whole := files(t, at.dir)
			want := []string{"a", "b"}
			if end == "saved" {
				want = want[1:]
			}
			for name, data := range whole {
				for how, damaged := range damages(data) {
					restore(t, at.dir, whole)
					path := filepath.Join(at.dir, name)
					if damaged == nil {
						_ = os.Remove(path)
					} else if err := os.WriteFile(path, damaged, 0o600); err != nil {
						t.Fatal(err)
					}
					next := at.start(t, three())
					if next.recalled != nil && !slices.Equal(next.recalled, abc) {
						t.Errorf("%s, %s: begins with %v", name, how, next.recalled)
					}
					if got := next.complete(abc...); len(got) > 0 && !slices.Equal(got, want) {
						t.Errorf("%s, %s: knows everything of %v", name, how, got)
					}
					next.save() // and it goes on as usual
					next.kill()
					again := at.start(t, nil)
					if !slices.Equal(again.recalled, abc) {
						t.Errorf("%s, %s: what is saved afterwards is %v", name, how, again.recalled)
					}
					again.kill()
				}
			}
		})
	}
}

// damages returns what may become of a file; nil is that it is gone.
func damages(data []byte) map[string][]byte {
	all := map[string][]byte{"gone": nil, "empty": {}, "twice": slices.Concat(data, data)}
	for i := 1; i < len(data); i += max(1, len(data)/12) {
		all[fmt.Sprintf("cut at %d", i)] = data[:i]
		flipped := slices.Clone(data)
		flipped[i] ^= 1 << (i % 8)
		all[fmt.Sprintf("a bit of byte %d", i)] = flipped
	}
	return all
}

// TestAProcessWithoutTheDirectory starts a process while another one has the directory. Nobody notes what it does. So the process
// after both believes no ledger, also if the other one has saved it later.
func TestAProcessWithoutTheDirectory(t *testing.T) {
	at := newPlace(t)
	first := at.start(t, three())
	first.succeed(abc...)
	if _, err := at.open(t); err == nil {
		t.Fatal("two processes have the directory")
	}
	first.finish()
	third := at.start(t, nil)
	if got := third.complete(abc...); len(got) > 0 {
		t.Errorf("the third process knows everything of %v", got)
	}
	if !slices.Equal(third.recalled, abc) {
		t.Errorf("the third process begins with %v", third.recalled)
	}
	for _, name := range abc {
		third.clerk.Settle(request(name), ledger.Succeeded)
	}
	third.finish()
	fourth := at.start(t, nil)
	if got := fourth.complete(abc...); !slices.Equal(got, abc) {
		t.Errorf("the fourth process knows everything of %v, and not of all", got)
	}
}
