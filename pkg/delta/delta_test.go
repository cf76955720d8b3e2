package delta

import (
	"testing"
	"time"
	"unsafe"
)

func TestKeyTextIsReversible(t *testing.T) {
	for text, want := range map[string]Key{
		"":        {},
		"a":       {Name: "a"},
		"ns/a":    {Namespace: "ns", Name: "a"},
		"ns/":     {Namespace: "ns"},
		"/a":      {Name: "/a"},
		"ns/a/b":  {Namespace: "ns", Name: "a/b"},
		"//":      {Name: "//"},
		"ns//b/c": {Namespace: "ns", Name: "/b/c"},
	} {
		got := ParseKey(text)
		if got != want {
			t.Errorf("ParseKey(%q) = %#v, want %#v", text, got, want)
		}
		if got.String() != text {
			t.Errorf("ParseKey(%q).String() = %q", text, got.String())
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"", "a", "ns/a", "/", "a/b/c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := ParseKey(text).String(); got != text {
			t.Errorf("ParseKey(%q).String() = %q", text, got)
		}
	})
}

func TestKeyCompare(t *testing.T) {
	ordered := []Key{{}, {Name: "b"}, {Namespace: "a", Name: "c"}, {Namespace: "a", Name: "d"}, {Namespace: "b", Name: "a"}}
	for i, a := range ordered {
		for j, b := range ordered {
			if got, want := a.Compare(b) < 0, i < j; got != want {
				t.Errorf("%v < %v is %v, want %v", a, b, got, want)
			}
			if got, want := a.Compare(b) == 0, i == j; got != want {
				t.Errorf("%v == %v is %v, want %v", a, b, got, want)
			}
		}
	}
}

func TestOpNamesAreDistinct(t *testing.T) {
	seen := map[string]Op{}
	for op := range Op(8) {
		name := op.String()
		if other, dup := seen[name]; dup || name == "" {
			t.Errorf("ops %d and %d both print as %q", op, other, name)
		}
		seen[name] = op
	}
}

func TestObjectOfMissedDeletion(t *testing.T) {
	missed := Delta[string]{Op: Deleted, Missed: true, Old: "last known"}
	if got := missed.Object(); got != "last known" {
		t.Errorf("missed deletion shows %q, want the last known state", got)
	}
	out := Delta[string]{Op: OutOfScope, Old: "last known"}
	if got := out.Object(); got != "last known" {
		t.Errorf("what is out of scope shows %q, want the last known state", got)
	}
	told := Delta[string]{Op: Deleted, Old: "before", New: "final"}
	if got := told.Object(); got != "final" {
		t.Errorf("deletion shows %q, want the final state", got)
	}
}

// Everything that happens is a Delta, and an event of the log with one word more is
// two cache lines. New fields must find room where there is some.
func TestDeltaIsNoLargerThanItWas(t *testing.T) {
	const words = 15
	if got := unsafe.Sizeof(Delta[any]{}) / unsafe.Sizeof(uintptr(0)); unsafe.Sizeof(uintptr(0)) == 8 && got != words {
		t.Errorf("a Delta has %d words, want %d", got, words)
	}
}

func TestResyncIsThatOfASync(t *testing.T) {
	asked := &Origin{Resync: &ResyncTerms{OnlyIfNotReconciledFor: time.Hour}}
	for _, tt := range []struct {
		name string
		d    Delta[string]
		want *ResyncTerms
	}{
		{"of a Sync", Delta[string]{Op: Sync, Origin: asked}, asked.Resync},
		{"of a Sync that a relist showed", Delta[string]{Op: Sync, Origin: &Origin{Manager: "m"}}, nil},
		{"of a Sync that nobody knows more of", Delta[string]{Op: Sync}, nil},
		{"of a change", Delta[string]{Op: Updated, Origin: asked}, nil},
	} {
		if got := tt.d.Resync(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
