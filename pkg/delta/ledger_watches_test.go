package delta_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// at is a Deployment at a version, with a number of replicas.
func at(version, replicas int) *appsv1.Deployment {
	d := deployment(int32(replicas)) //nolint:gosec // the number is small
	d.UID, d.ResourceVersion = "uid", strconv.Itoa(version)
	return d
}

// metadataAt is the same object in a watch for metadata.
func metadataAt(version int) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "web", UID: "uid", ResourceVersion: strconv.Itoa(version)}}
}

// became is an update from one state to another.
func became(before, after delta.Object) delta.Change {
	return delta.Change{
		Cause: delta.Owned, Kind: appsv1.SchemeGroupVersion.WithKind("Deployment"), Key: delta.Key{Name: "web"},
		Op: delta.Updated, Old: before, New: after,
	}
}

// resynced is a resync of a state.
func resynced(state delta.Object) delta.Change {
	c := became(state, state)
	c.Cause, c.Op = delta.Resync, delta.Sync
	return c
}

// knowing returns a ledger in which a reconciler has succeeded with r.
func knowing(limits delta.LedgerLimits) *delta.Ledger[string] {
	l := delta.NewLedger[string](delta.LedgerOptions{LedgerLimits: limits, SkipOnResync: true})
	record(l, "r", delta.Change{Cause: delta.External})
	l.Take("r")
	l.Settle("r", delta.Succeeded)
	return l
}

func record(l *delta.Ledger[string], r string, changes ...delta.Change) {
	for _, c := range changes {
		l.Record(r, c)
		l.Landed(r)
	}
}

func version(o delta.Object) string {
	if o == nil {
		return "none"
	}
	return o.GetResourceVersion()
}

// story lists the states that were told, from the oldest to the newest.
func story(changes delta.Changes) string {
	var words []string
	for c := range changes.All() {
		words = append(words, version(c.Old)+"→"+version(c.New))
	}
	return strings.Join(words, ", ")
}

// Watches have different speeds. If a slow watch tells something late, that hides nothing
// that a quick watch has told.
func TestWatchesOfOneKindHideNothingFromEachOther(t *testing.T) {
	for name, test := range map[string]struct {
		happened []delta.Change
		story    string
	}{
		"one goes on":               {[]delta.Change{became(at(1, 1), at(2, 2)), became(at(2, 2), at(3, 3))}, "1→3"},
		"both tell the same":        {[]delta.Change{became(at(1, 1), at(2, 2)), became(at(1, 1), at(2, 2))}, "1→2"},
		"the slow one ends before":  {[]delta.Change{became(at(2, 2), at(3, 3)), became(at(1, 1), at(2, 2))}, "1→3"},
		"the slow one is far away":  {[]delta.Change{became(at(3, 3), at(4, 4)), became(at(1, 1), at(2, 1))}, "3→4, 1→2"},
		"the slow one catches up":   {[]delta.Change{became(at(1, 1), at(3, 3)), became(at(1, 1), at(2, 2)), became(at(2, 2), at(3, 3))}, "1→3, 1→3"},
		"the quick one leaves out":  {[]delta.Change{became(at(1, 1), at(2, 1)), became(at(3, 1), at(4, 4))}, "1→4"},
		"metadata is further":       {[]delta.Change{became(at(1, 1), at(2, 5)), became(metadataAt(2), metadataAt(3))}, "1→2, 2→3"},
		"metadata is behind":        {[]delta.Change{became(at(1, 1), at(2, 5)), became(metadataAt(0), metadataAt(1))}, "1→2, 0→1"},
		"a resync shows the oldest": {[]delta.Change{became(at(1, 1), at(2, 5)), resynced(at(1, 1))}, "1→2"},
		"a resync shows a new one":  {[]delta.Change{became(at(1, 1), at(2, 1)), resynced(at(3, 5))}, "1→3"},
	} {
		l := knowing(delta.LedgerLimits{})
		record(l, "r", test.happened...)
		told := l.Take("r")
		if got := story(told); got != test.story || !told.Complete() {
			t.Errorf("%s: told %s (%s), want %s", name, got, told, test.story)
		}
		if !told.Touches("spec.replicas") || told.Only(delta.Sync) {
			t.Errorf("%s: %s touch no replicas", name, told)
		}
	}
}

// If a field was changed and changed back, a reconciler may have read the state in between.
func TestWhatWasUndoneIsTouched(t *testing.T) {
	thereAndBack := []delta.Change{became(at(1, 1), at(2, 2)), became(at(2, 2), at(3, 1))}
	l := knowing(delta.LedgerLimits{})
	record(l, "r", thereAndBack...)
	if told := l.Take("r"); !told.Touches("spec.replicas") || told.Touches("spec.paused") || story(told) != "1→3" {
		t.Errorf("%s touch replicas: %t, and paused: %t", story(told), told.Touches("spec.replicas"), told.Touches("spec.paused"))
	}
	l.Settle("r", delta.Failed)
	record(l, "r", became(at(3, 1), at(4, 1)))
	l.Take("r")
	l.Settle("r", delta.Unfinished)
	if told := l.Take("r"); !told.Touches("spec.replicas") || story(told) != "→, 1→4" && story(told) != "none→none, 1→4" {
		t.Errorf("told again, %s touch no replicas", story(told))
	}
	l.Settle("r", delta.Succeeded)
	record(l, "r", resynced(at(4, 1)))
	if told := l.Take("r"); told.Touches("spec.replicas") || !told.Only(delta.Sync) {
		t.Errorf("dealt with, %s touch replicas", story(told))
	}
}

// A change remembers a bounded number of states. Beyond that everything is touched.
func TestStatesInBetweenAreBounded(t *testing.T) {
	for _, n := range []int{10, 100} {
		l := knowing(delta.LedgerLimits{})
		for i := range n {
			record(l, "r", became(at(i+1, 1), at(i+2, 1)))
		}
		if told := l.Take("r"); told.Touches("spec.replicas") != (n > 50) || told.Len() != 1 {
			t.Errorf("after %d updates %s touch replicas: %t", n, told, told.Touches("spec.replicas"))
		}
	}
}

func TestCausesAreASet(t *testing.T) {
	mapped := became(at(1, 1), at(2, 2))
	mapped.Cause = delta.Mapped
	l := knowing(delta.LedgerLimits{})
	record(l, "r", became(at(1, 1), at(2, 2)), mapped, resynced(at(2, 2)))
	told := l.Take("r")
	for _, cause := range []delta.Cause{delta.Owned, delta.Mapped, delta.Resync} {
		if !told.Has(cause) || told.By(cause).Len() != 1 {
			t.Errorf("%s do not have the cause %s", told, cause)
		}
	}
	if told.Has(delta.Primary) || !strings.Contains(told.String(), "Owned+Mapped+Resync") {
		t.Errorf("the causes are those of %s", told)
	}
}

// A resync adds nothing about an object that was just added, unless it shows a later state.
func TestAResyncOfANewbornObject(t *testing.T) {
	born := became(nil, at(2, 2))
	born.Op = delta.Added
	for want, shown := range map[string]int{"none→2": 2, "none→2, 3→3": 3} {
		l := knowing(delta.LedgerLimits{})
		record(l, "r", born, resynced(at(shown, 2)))
		if told := l.Take("r"); story(told) != want || !told.Has(delta.Resync) {
			t.Errorf("a resync shows version %d, and the changes are %s, want %s", shown, story(told), want)
		}
	}
}

// After a limit was reached once, the ledger knows all about later requests again.
func TestOthersAreKnownAgainAfterAnOverflow(t *testing.T) {
	l := delta.NewLedger[string](delta.LedgerOptions{LedgerLimits: delta.LedgerLimits{Requests: 1}})
	record(l, "failing", became(at(1, 1), at(2, 2)))
	l.Take("failing")
	l.Settle("failing", delta.Failed)
	known := func(name string) bool {
		record(l, name, became(at(1, 1), at(2, 2)))
		defer l.Settle(name, delta.Succeeded)
		return l.Take(name).Complete()
	}
	if !slices.Equal([]bool{known("one"), known("one")}, []bool{false, true}) || l.Status().Overflows == 0 {
		t.Errorf("a request is not completely known after its first success, with %d overflows", l.Status().Overflows)
	}
	if known("failing") {
		t.Error("a request that was forgotten is completely known")
	}
	if !slices.Equal([]bool{known("failing"), known("one")}, []bool{true, true}) {
		t.Error("a request is not completely known although all requests have succeeded")
	}
}

// A worker may finish a request before the source that added it continues.
func TestNothingIsHeldOfWhatIsDealtWith(t *testing.T) {
	l := delta.NewLedger[string](delta.LedgerOptions{LedgerLimits: delta.LedgerLimits{Requests: 2}})
	for i := range 10 {
		r := strconv.Itoa(i)
		l.Record(r, became(at(1, 1), at(2, 2)))
		l.Take(r)
		l.Settle(r, delta.Succeeded)
		if i%2 == 0 {
			l.Landed(r)
		} else {
			l.LandedLater(r)
		}
		if told := l.Take(r); !told.Complete() || !told.Has(delta.Timer) {
			t.Errorf("everything was told already, and the request is told %s", told)
		}
		l.Settle(r, delta.Succeeded)
		l.Record(r, became(at(2, 2), at(3, 3)))
		l.Take(r)
		l.Settle(r, delta.Succeeded)
		l.Landed(r)
	}
	if status := l.Status(); status.Requests > 0 || status.Changes > 0 || status.Overflows > 0 {
		t.Errorf("everything has been dealt with, and the ledger still has %+v", status)
	}
}

// In TestOfAnObjectWhoseKindNobodyKnows a transform has put an object into another Go type,
// without its kind.
func TestOfAnObjectWhoseKindNobodyKnows(t *testing.T) {
	before := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "y", UID: "1", ResourceVersion: "11"}}
	after := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "y", UID: "1", ResourceVersion: "12"}}
	changes := delta.NewChanges(delta.Change{Cause: delta.Mapped, Key: delta.Key{Name: "y"}, Op: delta.Updated, Old: before, New: after})
	if of := changes.Of(&corev1.Secret{}); of.Complete() || !of.Touches("data") {
		t.Errorf("Of a Secret: %s, although the change may be of a Secret whose metadata alone was kept", of)
	}
	if of := changes.Of(&corev1.ConfigMap{}); of.Complete() {
		t.Errorf("Of a ConfigMap: %s, although the object may be one", of)
	}
}

// A reconciler narrows down its changes, and says with that context what has become of the call.
func TestAContextWithOtherChangesIsOfTheSameCall(t *testing.T) {
	l := knowing(delta.LedgerLimits{})
	record(l, "r", became(at(1, 1), at(2, 2)))
	ctx, call := l.Begin(t.Context(), "r")
	delta.Keep(delta.NewContext(ctx, delta.From(ctx)))
	call.End(delta.Succeeded)
	if told := l.Take("r"); !told.Has(delta.Owned) {
		t.Errorf("what was kept is not told again: %s", told)
	}
	ctx, call = l.Begin(t.Context(), "r")
	delta.Settle(delta.NewContext(ctx, delta.From(ctx).Of(&corev1.Secret{})))
	call.End(delta.Failed)
	if told := l.Take("r"); !told.Has(delta.Owned) {
		t.Errorf("what one part of a reconciler has settled is not told to the others again: %s", told)
	}
}

// A kind that the scheme does not know can't be told of.
func TestAKindOutsideOfTheSchemeIsNotKnown(t *testing.T) {
	l := delta.NewLedger[string](delta.LedgerOptions{KindOf: func(obj delta.Object) (schema.GroupVersionKind, error) {
		if _, ok := obj.(*corev1.Secret); ok {
			return schema.GroupVersionKind{}, errors.New("the scheme does not know it")
		}
		return appsv1.SchemeGroupVersion.WithKind("Deployment"), nil
	}})
	l.Clerk().Listed(delta.Change{New: &appsv1.Deployment{}})
	l.Take("r")
	l.Settle("r", delta.Succeeded)
	record(l, "r", became(at(1, 1), at(2, 2)))
	told := l.Take("r")
	if of := told.Of(&corev1.Secret{}); !told.Complete() || of.Complete() || !of.Touches("data") {
		t.Errorf("of Secrets it is told %s, and of all %s", of, told)
	}
}

// raw is an object whose spec has a JSON of its own, which its Go fields do not show.
type raw struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              runtime.RawExtension `json:"spec"`
	Status            string               `json:"status"`
}

func (r *raw) DeepCopyObject() runtime.Object { c := *r; return &c }

func rawAt(version, spec, status string) *raw {
	return &raw{
		ObjectMeta: metav1.ObjectMeta{Name: "web", UID: "uid", ResourceVersion: version},
		Spec:       runtime.RawExtension{Raw: []byte(spec)}, Status: status,
	}
}

// The next change touches what was held back, whatever it was in.
func TestWhatWasHeldBackIsTouchedWhateverItWasIn(t *testing.T) {
	managed := at(3, 1)
	managed.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "somebody"}}
	again := became(managed, managed)
	again.Op, again.Cause = delta.Sync, delta.Resync
	for name, tt := range map[string]struct {
		heldBack, told delta.Change
		touched        []string
	}{
		"a spec with a JSON of its own": {
			became(rawAt("1", `{"x":1}`, "a"), rawAt("2", `{"x":2}`, "a")), became(rawAt("2", `{"x":2}`, "a"), rawAt("3", `{"x":2}`, "b")),
			[]string{"spec", "spec.x"},
		},
		"what is left out of differences": {became(at(2, 1), managed), again, []string{"metadata.managedFields", "metadata.resourceVersion"}},
	} {
		l := knowing(delta.LedgerLimits{})
		s := l.NewStream(delta.ByKey)
		s.Begin(tt.heldBack).End()
		d := s.Begin(tt.told)
		d.Record("r")
		l.Landed("r")
		d.End()
		got := l.Take("r")
		for _, path := range tt.touched {
			if !got.Complete() || !got.Touches(path) {
				t.Errorf("%s: %s changed and is not touched by %s", name, path, got)
			}
		}
		if got.Only(delta.Sync) {
			t.Errorf("%s: there was only a resync, says %s", name, got)
		}
	}
}
