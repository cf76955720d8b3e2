package answers

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/hotloop"
	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// TestEditsHideSecrets compares two Secrets, and two objects that are none.
func TestEditsHideSecrets(t *testing.T) {
	secret := func(value string) *corev1.Secret {
		return &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"app": value}, Annotations: map[string]string{"last": value}},
			Data:       map[string][]byte{"password": []byte(value)},
		}
	}
	edits, more := editsOf(diff.New(secret("canary-1"), secret("canary-2"), nil))
	if len(edits) != 3 || more {
		t.Fatalf("the edits are %+v, want three", edits)
	}
	for _, e := range edits {
		shown := strings.Contains(e.Path, "labels")
		if e.Hidden == shown || strings.Contains(e.Before+e.After, "canary") != shown {
			t.Errorf("an edit is shown as %+v", e)
		}
	}
	before := &corev1.ConfigMap{Data: map[string]string{"gone": "x", "long": "a"}}
	after := &corev1.ConfigMap{Data: map[string]string{"new": "y", "long": strings.Repeat("ä", 1000)}}
	edits, _ = editsOf(diff.New(before, after, nil))
	got := map[string]v1.Edit{}
	for _, e := range edits {
		got[e.Op] = e
	}
	if got["added"].After != `"y"` || got["removed"].Before != `"x"` || len(got["changed"].After) > longestValue+len("…") {
		t.Errorf("the edits are %+v", edits)
	}
}

// TestALongDifferenceIsCut has more edits than are shown.
func TestALongDifferenceIsCut(t *testing.T) {
	before, after := &corev1.ConfigMap{Data: map[string]string{}}, &corev1.ConfigMap{Data: map[string]string{}}
	for n := range 2 * mostEdits {
		after.Data[strings.Repeat("k", n+1)] = "v"
	}
	edits, more := editsOf(diff.New(before, after, nil))
	if len(edits) > mostEdits || len(edits) == mostEdits && !more {
		t.Errorf("%d edits are shown, more are left out: %v", len(edits), more)
	}
}

// TestNothingRuns asks an operator whose cache does not run.
func TestNothingRuns(t *testing.T) {
	o := New(Options{Runtime: managed.New()})
	if len(o.Kinds("").Items)+len(o.Controllers().Items)+len(o.Queues("", 10).Items)+len(o.Loops().Items) != 0 {
		t.Error("there are kinds or controllers, and nothing runs")
	}
	_, why := o.Why("v1 Pod", "a", "b")
	_, memory := o.Memory(t.Context(), "v1 Pod")
	_, cancelled := o.Cancel(t.Context(), inspector.Request{Controller: "c"})
	for what, err := range map[string]error{"Why": why, "Memory": memory, "Cancel": cancelled} {
		if !errors.Is(err, inspector.ErrNotFound) {
			t.Errorf("%s returns %v, want ErrNotFound", what, err)
		}
	}
	if _, err := o.Resync(t.Context(), "v1 Pod", labels.Everything()); !errors.Is(err, inspector.ErrUnable) {
		t.Errorf("Resync returns %v, want ErrUnable", err)
	}
}

func TestPoliciesInWords(t *testing.T) {
	for want, p := range map[string]resync.Policy{
		"":               {Period: resync.Never},
		"every 1h0m0s":   {Period: time.Hour},
		"every 9h57m18s": {Period: 9*time.Hour + 57*time.Minute + 18*time.Second + 14_428_239},
		"every 1.5s":     {Period: 1500 * time.Millisecond},
		"every 1m0s, spread over the period, at most 5 a second, of app=web, if not reconciled for 10m0s, in a, b": {
			Period: time.Minute, Spread: resync.OverPeriod, Rate: 5, Selector: labels.SelectorFromSet(labels.Set{"app": "web"}),
			OnlyIfNotReconciledFor: 10 * time.Minute, Namespaces: []string{"a", "b"},
		},
		"every 1m0s, not in c": {Period: time.Minute, Except: []string{"c"}},
		"every 1m0s, in " + strings.Repeat("n, ", 19) + "n and 4980 more": {Period: time.Minute, Namespaces: slices.Repeat([]string{"n"}, 5000)},
	} {
		if got := describePolicy(&p); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
}

func TestSummaries(t *testing.T) {
	now := time.Now()
	for want, r := range map[string]v1.Request{
		"It waits for nothing. No call of it is remembered.": {State: "idle"},
		"A worker has it since 2s. It last succeeded 1m0s ago.": {
			State: "working", Item: &v1.Item{Working: now.Add(-2 * time.Second)}, LastSuccess: now.Add(-time.Minute),
		},
		"After 3 attempts that failed it is tried again in 5s. Its last call began 1s ago, because of Primary Pod a/b Updated by bob (an own write) (told again), and came to: error. The error was: no": {
			State: "delayed", Item: &v1.Item{Attempts: 3, Due: now.Add(5 * time.Second)},
			Last: &v1.Reconcile{
				Began: now.Add(-time.Second), Result: "error", Error: "no",
				Changes: []v1.Change{{Causes: []string{"Primary"}, Kind: "v1 Pod", Namespace: "a", Name: "b", Op: "Updated", Manager: "bob", Own: true, Again: true}},
			},
		},
		"Its queue is not one that can be looked into. No call of it is remembered. It is called again and again to no end: Fight of spec.replicas, 9 rounds.": {
			State: "unknown", Loop: &v1.Loop{Pattern: "Fight", Paths: []string{"spec.replicas"}, Rounds: 9},
		},
	} {
		if got := summaryOf(&r, "", "", now); got != want {
			t.Errorf("the summary is\n%s\nwant\n%s", got, want)
		}
	}
}

// TestEachKindHasTheNameOfTheCache names kinds of two groups, and one that the cache has without its
// Go type.
func TestEachKindHasTheNameOfTheCache(t *testing.T) {
	ours, theirs := schema.GroupVersionKind{Group: "a.example.com", Version: "v1", Kind: "Site"}, schema.GroupVersionKind{Group: "b.example.com", Version: "v2", Kind: "Site"}
	pod, node := corev1.SchemeGroupVersion.WithKind("Pod"), corev1.SchemeGroupVersion.WithKind("Node")
	as := New(Options{Runtime: managed.New()}).telling()
	as.names = namesOf([]observe.Kind{
		{GVK: ours, Name: "a.example.com/v1 Site"},
		{GVK: node, Form: "metadata", Name: "v1 Node (metadata)"},
		{GVK: pod, Form: "metadata", Name: "v1 Pod (metadata)"},
		{GVK: pod, Name: "v1 Pod"},
		{GVK: pod, Form: "unstructured", Name: "v1 Pod (unstructured)"},
	})
	for gvk, want := range map[schema.GroupVersionKind]string{
		ours: "a.example.com/v1 Site", theirs: "b.example.com/v2 Site", pod: "v1 Pod", node: "v1 Node (metadata)",
		corev1.SchemeGroupVersion.WithKind("Secret"): "v1 Secret", {}: "",
	} {
		if got := as.of(gvk); got != want {
			t.Errorf("%v is %q, want %q", gvk, got, want)
		}
		changes, _ := as.changesOf(delta.NewChanges(delta.Change{Cause: delta.Primary, Kind: gvk}))
		if len(changes) != 1 || changes[0].Kind != want {
			t.Errorf("a change of %v is %+v, want one of %q", gvk, changes, want)
		}
		c := &observe.Controller{
			Kind: gvk, Calls: &observe.Calls{}, HeldBack: func() uint64 { return 0 },
			Ledger: func() delta.LedgerStatus { return delta.LedgerStatus{} }, Steps: func() []delta.StepStatus { return nil },
		}
		if got := as.controllerOf(c).Kind; got != want {
			t.Errorf("a controller of %v is of %q, want %q", gvk, got, want)
		}
		if got := as.loopOf(c, &hotloop.Episode[delta.Key]{Kind: gvk}).Kind; got != want {
			t.Errorf("a loop of %v is of %q, want %q", gvk, got, want)
		}
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
