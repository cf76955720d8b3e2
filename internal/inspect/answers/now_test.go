package answers

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

func TestProgramsAreCalledAsTheirAuthorsCallThem(t *testing.T) {
	for program, want := range map[string]string{
		"example.com/shop/cmd":                     "shop",
		"example.com/shop/cmd/manager":             "shop",
		"example.com/shop/v2/cmd":                  "shop",
		"example.com/runtime/examples/my-operator": "my-operator",
		"command-line-arguments":                   "command-line-arguments",
		"cmd":                                      "module",
	} {
		if got := programName(program, "example.com/module"); got != want {
			t.Errorf("%s is called %s, and not %s", program, got, want)
		}
	}
}

func TestAProgramLeadsWhenItIsElected(t *testing.T) {
	elected := make(chan struct{})
	waits, always := New(Options{Runtime: managed.New(), Elected: elected}), New(Options{Runtime: managed.New()})
	if p := waits.Program(); p.Leads || p.Name == "" || p.Host == "" || p.Since.IsZero() {
		t.Errorf("before the election it is %+v", p)
	}
	if !always.Program().Leads {
		t.Error("a program that asks for no election does not lead")
	}
	close(elected)
	if !waits.Program().Leads {
		t.Error("it does not lead after the election")
	}
}

// TestFailingRequestsAreThoseOfControllersThatRun has failures of a controller that has ended, too.
func TestFailingRequestsAreThoseOfControllersThatRun(t *testing.T) {
	runtime := managed.New()
	o := New(Options{Runtime: runtime})
	runs := func(name string) (end func()) {
		return runtime.Reconciles(&observe.Controller{Name: name, Kind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Shop"}, Record: func(*journal.Journal) {}})
	}
	defer runs("shop")()
	runs("mall")()
	for _, name := range []string{"shop", "mall"} {
		o.Journal().Controller(name).Note(journal.Call{Request: delta.Key{Namespace: "demo", Name: "a"}, Result: journal.Error, Err: errors.New("no")})
	}
	want := inspector.Failing{Request: inspector.Request{Controller: "shop", Namespace: "demo", Name: "a"}, Kind: "example.com/v1 Shop", Error: "no", Times: 1}
	if got := o.Failing(); len(got) != 1 || got[0] != want {
		t.Errorf("failing are %+v, want %+v", got, want)
	}
}
