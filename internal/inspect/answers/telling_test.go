package answers

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// wide returns a ConfigMap with a thousand long values.
func wide(name string, version int) *corev1.ConfigMap {
	c := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: name, UID: "u", ResourceVersion: fmt.Sprint(1000 + version)},
		Data:       map[string]string{},
	}
	for k := range 1000 {
		c.Data[fmt.Sprint("key", k)] = fmt.Sprint(version, strings.Repeat("v", 600))
	}
	return c
}

// timeless asks where no time passes, so that an answer has all that it has room for.
var timeless = synctest.Test

// TestAnAnswerHasABound has eight objects that all requests depend on change at once. Each of many
// calls was told of all eight.
func TestAnAnswerHasABound(t *testing.T) {
	var told []delta.Change
	for n := range 8 {
		old, now := wide(fmt.Sprint("shared", n), 0), wide(fmt.Sprint("shared", n), 1)
		told = append(told, delta.Change{
			Cause: delta.Mapped, Kind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Key: delta.Key{Namespace: "demo", Name: old.Name},
			Op: delta.Updated, Old: old, New: now,
		})
	}
	o := New(Options{Runtime: managed.New()})
	calls := o.journal.Controller("site")
	for r := range 500 {
		calls.Note(journal.Call{Request: delta.Key{Name: fmt.Sprint(r)}, Result: journal.Success, Changes: delta.NewChanges(told...)})
	}
	var list v1.ReconcileList
	timeless(t, func(*testing.T) { list = o.Reconciles(inspector.ReconcileQuery{Limit: 1000}) })
	text, err := json.Marshal(list)
	if err != nil || len(list.Items) != 500 || len(list.Items[499].Changes) != 8 {
		t.Fatalf("%d calls are listed, error %v", len(list.Items), err)
	}
	if len(text) > inspector.LongestAnswer {
		t.Errorf("the answer has %d bytes", len(text))
	}
	if first := list.Items[0].Changes[0]; len(first.Edits) == 0 {
		t.Error("the first call shows nothing of what changed")
	}
	if last := list.Items[499].Changes[7]; !last.EditsLeftOut || len(last.Edits) != 0 {
		t.Errorf("the last call does not say that edits are left out: %t, %d", last.EditsLeftOut, len(last.Edits))
	}
}

// TestTwoStatesAreComparedOnce tells two requests of one change.
func TestTwoStatesAreComparedOnce(t *testing.T) {
	told := delta.NewChanges(delta.Change{Cause: delta.Mapped, Op: delta.Updated, Old: wide("shared", 0), New: wide("shared", 1)})
	as := New(Options{Runtime: managed.New()}).telling()
	one, _ := as.changesOf(told)
	other, _ := as.changesOf(told)
	if len(as.compared) != 1 || len(one[0].Edits) == 0 || &one[0].Edits[0] != &other[0].Edits[0] {
		t.Errorf("%d pairs were compared", len(as.compared))
	}
}

// long is as long as a name can be, and longer as JSON.
var long = strings.Repeat("<", 253)

// swamp is an operator in which all is as much as it can be. Each request waits with some changes, and each call was for as many.
func swamp(t *testing.T, changes int) *Operator {
	t.Helper()
	gvk := corev1.SchemeGroupVersion.WithKind("Pod")
	var told []delta.Change
	for n := range changes {
		told = append(told, delta.Change{Cause: delta.Mapped, Kind: gvk, Op: delta.Added, Key: delta.Key{Namespace: long, Name: "pod"}, New: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: fmt.Sprint(long, n), Time: &metav1.Time{Time: time.Now()}}},
		}}})
	}
	of := managed.New()
	t.Cleanup(of.Runs(&household{kinds: []observe.Kind{kindOf("v1 Pod", nil)}}))
	for range 3 {
		t.Cleanup(of.Reconciles(&observe.Controller{
			Name: "site", Kind: gvk, Calls: &observe.Calls{}, Requests: swamped{told: delta.NewChanges(told...)},
			Queue: func() (queue.Stats, bool) { return queue.Stats{}, true },
		}))
	}
	o := New(Options{Runtime: of, Limits: journal.Limits{Bytes: 1 << 30}})
	notes, calls := o.journal.Kind("v1 Pod", gvk), o.journal.Controller("site")
	for range 200 {
		calls.Note(journal.Call{
			Request: delta.Key{Namespace: long, Name: "pod"}, Result: journal.Error, Changes: delta.NewChanges(told...), Err: errors.New(strings.Repeat("<", 10_000)),
			Steps: slices.Repeat([]delta.StepReport{{Name: "a", Err: errors.New(strings.Repeat("\x00", 10_000))}}, 10),
		})
		old, now := &corev1.ConfigMap{Data: map[string]string{"c": ""}}, &corev1.ConfigMap{Data: map[string]string{
			strings.Repeat("k", 1<<20): "v", "a": strings.Repeat("\"", 1000), "b": strings.Repeat("\x00", 1000),
		}}
		notes.Begin()
		notes.Add(&delta.Delta[any]{Op: delta.Updated, Key: delta.Key{Namespace: long, Name: "pod"}, Old: old, New: now})
		notes.End()
	}
	return o
}

// swamped are requests that all wait with the same changes.
type swamped struct {
	requests
	told delta.Changes
}

func (s swamped) Waiting(delta.Key) delta.Changes { return s.told }

func (s swamped) Contents(limit int) []queue.Entry[delta.Key] {
	return slices.Repeat([]queue.Entry[delta.Key]{{Key: delta.Key{Namespace: long, Name: long}, Queued: time.Now()}}, limit)
}

// TestAnAnswerLeavesOutWhatItHasNoRoomFor asks for everything, where one entry or all of them together are more than an answer
// has room for. Each answer has something of each of its lists, and says that it is cut.
func TestAnAnswerLeavesOutWhatItHasNoRoomFor(t *testing.T) {
	for name, changes := range map[string]int{"one entry": 10_000, "all entries": 64} {
		t.Run(name, func(t *testing.T) {
			o := swamp(t, changes)
			timeless(t, func(t *testing.T) { askAll(t, o, changes) })
		})
	}
}

func askAll(t *testing.T, o *Operator, changes int) {
	t.Helper()
	sent := func(what, cut string, of any) {
		if text, err := json.Marshal(of); err != nil || len(text) > inspector.LongestAnswer {
			t.Errorf("the answer %s has %d bytes, error %v", what, len(text), err)
		}
		if !strings.Contains(cut, "the answer has room for no more") {
			t.Errorf("the answer %s says %q", what, cut)
		}
	}
	calls := o.Reconciles(inspector.ReconcileQuery{Limit: 1000})
	sent("reconciles", calls.Cut, calls)
	first, last := calls.Items[0], calls.Items[len(calls.Items)-1]
	if len(calls.Items) < 5 || len(first.Changes) == 0 || len(first.Steps) == 0 || len(last.Changes)+last.ChangesLeftOut != changes {
		t.Errorf("of %d calls the first has %d changes, the last %d and %d more", len(calls.Items), len(first.Changes), len(last.Changes), last.ChangesLeftOut)
	}
	queues := o.Queues("", 1000)
	sent("queues", queues.Cut, queues)
	items := queues.Items[0].Items
	if len(items) < 5 || !queues.Items[0].More || len(items[0].Why)+items[0].WhyLeftOut != changes {
		t.Errorf("of a queue there are %d requests, more: %t", len(items), queues.Items[0].More)
	}
	why, err := o.Why("v1 Pod", long, "pod")
	sent("why", why.Cut+"the answer has room for no more", why)
	if err != nil || len(why.Requests) == 0 || why.Requests[0].Last == nil || len(why.Told) == 0 || len(why.Deltas) == 0 {
		t.Errorf("why has %d requests, %d calls and %d deltas, error %v", len(why.Requests), len(why.Told), len(why.Deltas), err)
	}
	deltas := o.Deltas(inspector.DeltaQuery{Limit: 1000})
	sent("deltas", deltas.Cut+"the answer has room for no more", deltas)
	if len(deltas.Items) == 0 || len(deltas.Items[0].Edits) != 4 {
		t.Errorf("of %d deltas the first has the edits %.300v", len(deltas.Items), deltas.Items[0].Edits)
	}
}

// TestThousandsOfScopesAreBounded has a kind with many, and policies that name them.
func TestThousandsOfScopesAreBounded(t *testing.T) {
	scopes := slices.Repeat([]informer.ScopeStatus{{Namespace: "red", Resync: resync.Policy{Period: time.Hour, Except: slices.Repeat([]string{long}, 5000)}}}, 5000)
	var shown v1.Kind
	timeless(t, func(*testing.T) {
		New(Options{Runtime: managed.New()}).telling().addScopes(&shown, scopes, "somebody has changed one")
	})
	text, err := json.Marshal(&shown)
	if err != nil || len(text) > inspector.LongestAnswer/2 || len(shown.Scopes) < 100 || len(shown.Scopes)+shown.ScopesLeftOut != len(scopes) || !strings.HasSuffix(shown.Why, "changed one") {
		t.Errorf("%d scopes take %d bytes, and %d more are left out (error %v)", len(shown.Scopes), len(text), shown.ScopesLeftOut, err)
	}
}

// TestManyKindsThatCantBeMadeAreBounded has more of them, each for a long reason, than an answer has room for.
func TestManyKindsThatCantBeMadeAreBounded(t *testing.T) {
	all := slices.Repeat([]observe.Unmade{{Name: "v1 Pod", Status: reflector.NotMade("v1 Pod", time.Now(), errors.New(strings.Repeat("<", 1<<20)))}}, 1000)
	of := managed.New()
	t.Cleanup(of.Runs(&household{unmade: all}))
	timeless(t, func(t *testing.T) {
		shown := New(Options{Runtime: of}).Kinds("")
		text, err := json.Marshal(&shown)
		if err != nil || len(text) > inspector.LongestAnswer || len(shown.Items) < 5 || !strings.Contains(shown.Cut, " of 1000 are shown") {
			t.Errorf("%d kinds take %d bytes, and the answer says %q (error %v)", len(shown.Items), len(text), shown.Cut, err)
		}
	})
}

// TestOneHugeEntryHidesNoOther has a controller that has far too much to say.
func TestOneHugeEntryHidesNoOther(t *testing.T) { timeless(t, oneHugeEntry) }

func oneHugeEntry(t *testing.T) {
	all := []v1.Controller{{Name: "a"}, {Name: strings.Repeat("<", 1<<20)}, {Name: "b"}}
	shown, why := fitting(New(Options{Runtime: managed.New()}).telling(), all)
	late := New(Options{Runtime: managed.New()}).telling()
	late.until = late.until.Add(-time.Hour)
	if shown, why := fitting(late, all); len(shown) != 0 || why == "" {
		t.Errorf("when there is no time left, %d are shown, because %q", len(shown), why)
	}
	if len(shown) != 2 || shown[1].Name != "b" || !strings.HasPrefix(why, "2 of 3 are shown") {
		t.Errorf("%d are shown, because %q", len(shown), why)
	}
}
