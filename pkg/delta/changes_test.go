package delta_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/ledger/writes"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

func TestFromWithoutChangesKnowsNothing(t *testing.T) {
	c := delta.From(context.Background())
	if c.Complete() || c.Len() != 0 || c.Only(delta.Sync) || c.Attempt() != 0 || c.Incomplete() == "" {
		t.Errorf("got %s, attempt %d, want nothing known", c, c.Attempt())
	}
}

func TestOnly(t *testing.T) {
	sync := delta.Change{Cause: delta.Resync, Op: delta.Sync}
	update := delta.Change{Cause: delta.Primary, Op: delta.Updated}
	for name, tt := range map[string]struct {
		changes delta.Changes
		want    bool
	}{
		"a resync":               {delta.NewChanges(sync), true},
		"two":                    {delta.NewChanges(sync, sync), true},
		"a resync and an update": {delta.NewChanges(sync, update), false},
		"nothing":                {delta.NewChanges(), false},
		"not complete":           {delta.NewChanges(sync).Assume(delta.Circumstances{Lacking: "a test"}), false},
		"a retry of a resync":    {delta.NewChanges(delta.Change{Cause: delta.Retry}, sync).Assume(delta.Circumstances{Attempt: 2}), false},
		"a timer":                {delta.NewChanges(delta.Change{Cause: delta.Timer}), false},
	} {
		if got := tt.changes.Only(delta.Sync); got != tt.want {
			t.Errorf("%s: Only(Sync) of %s is %v, want %v", name, tt.changes, got, tt.want)
		}
	}
}

func TestOfFindsAKindInAnyForm(t *testing.T) {
	kind := appsv1.SchemeGroupVersion.WithKind("Deployment")
	untyped := &unstructured.Unstructured{}
	untyped.SetGroupVersionKind(kind)
	changes := delta.NewChanges(
		delta.Change{Kind: kind, New: &appsv1.Deployment{}},
		delta.Change{Kind: corev1.SchemeGroupVersion.WithKind("Pod"), New: &corev1.Pod{}},
		delta.Change{Kind: kind, Old: untyped},
		delta.Change{Cause: delta.External},
	)
	for name, tt := range map[string]struct {
		example delta.Object
		want    int
	}{
		"typed": {&appsv1.Deployment{}, 1}, // without a scheme its GVK is not known
		"map":   {untyped, 2},
		"other": {&corev1.Service{}, 0},
	} {
		if got := changes.Of(tt.example); got.Len() != tt.want {
			t.Errorf("%s: Of found %s, want %d", name, got, tt.want)
		}
	}
}

// If a Go type can hold objects of many kinds, it does not say an object's kind. That also
// holds for types that users write.
func TestOfIsNotCompleteWhereATypeHoldsManyKinds(t *testing.T) {
	type wrapped struct{ unstructured.Unstructured }
	for name, obj := range map[string]delta.Object{
		"a map": &unstructured.Unstructured{}, "somebody's map": &wrapped{}, "metadata": &metav1.PartialObjectMetadata{},
	} {
		told := delta.NewChanges(delta.Change{Op: delta.Updated, Old: obj, New: obj})
		if told.Of(&appsv1.Deployment{}).Complete() {
			t.Errorf("%s: it does not count as a Deployment", name)
		}
		told = delta.NewChanges(delta.Change{Op: delta.Updated, Old: &appsv1.Deployment{}, New: &appsv1.Deployment{}})
		if told.Of(obj).Complete() {
			t.Errorf("%s as an example: a Deployment counts as another kind", name)
		}
	}
}

func TestOwnIsAboutEveryWriteInAChange(t *testing.T) {
	at := func(version string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "uid", ResourceVersion: version}}
	}
	update := func(from, to string) delta.Change {
		return delta.Change{Cause: delta.Primary, Op: delta.Updated, Old: at(from), New: at(to)}
	}
	end := func(edit func(*delta.Change)) []delta.Change {
		c := delta.Change{Op: delta.Deleted, Old: at("3"), New: at("9")}
		edit(&c)
		return []delta.Change{c}
	}
	replaced := update("1", "2")
	replaced.Old.SetUID("another")
	relisted := update("1", "3")
	relisted.Relisted = true
	// We made the versions 1 to 3, and 1 is the first of the object. Then others made 4, and we
	// made 5 from it.
	ours := writes.New(0)
	ours.Wrote("uid", "", "1")
	ours.Wrote("uid", "1", "2")
	ours.Wrote("uid", "2", "3")
	ours.Wrote("uid", "4", "5")
	ours.WroteLast("uid")
	for name, tt := range map[string]struct {
		happened []delta.Change
		want     bool
	}{
		"ours":                      {[]delta.Change{update("1", "2")}, true},
		"not ours":                  {[]delta.Change{update("3", "4")}, false},
		"two of ours":               {[]delta.Change{update("1", "2"), update("2", "3")}, true},
		"one of two":                {[]delta.Change{update("3", "4"), update("4", "5")}, false},
		"one that was not shown":    {[]delta.Change{update("1", "3")}, true},
		"another's was not shown":   {[]delta.Change{update("3", "5")}, false},
		"backwards":                 {[]delta.Change{update("3", "1")}, false},
		"from nowhere":              {[]delta.Change{update("", "1")}, false},
		"of another object":         {[]delta.Change{replaced}, false},
		"created":                   {[]delta.Change{{Op: delta.Added, New: at("1")}}, true},
		"created and changed":       {[]delta.Change{{Op: delta.Added, New: at("3")}}, true},
		"back in sight":             {[]delta.Change{{Op: delta.Added, New: at("5")}}, false},
		"deleted":                   {end(func(*delta.Change) {}), true},
		"deleted step by step":      {end(func(c *delta.Change) { c.New.SetDeletionTimestamp(&metav1.Time{Time: time.Now()}) }), false},
		"deleted by others":         {end(func(c *delta.Change) { c.New.SetUID("another") }), false},
		"a deletion nobody saw":     {end(func(c *delta.Change) { c.New, c.Missed = nil, true }), false},
		"shown by a relist":         {[]delta.Change{relisted}, true},
		"a resync":                  {[]delta.Change{{Op: delta.Sync, Old: at("2"), New: at("2")}}, false},
		"ours, then resynced":       {[]delta.Change{update("1", "2"), {Op: delta.Sync, Old: at("2"), New: at("2")}}, true},
		"resynced at another state": {[]delta.Change{update("1", "2"), {Op: delta.Sync, Old: at("4"), New: at("4")}}, false},
		"no object":                 {[]delta.Change{{Cause: delta.External}}, false},
	} {
		ledger := delta.NewLedger[string](delta.LedgerOptions{Writes: ours})
		for _, c := range tt.happened {
			ledger.Record("r", c)
			ledger.Landed("r")
		}
		told := slices.Collect(ledger.Take("r").All())
		if len(told) != 1 || told[0].Own() != tt.want {
			t.Errorf("%s: Own of %s is not %v", name, told, tt.want)
		}
		if by := delta.NewChanges(tt.happened[0]); slices.Collect(by.All())[0].Own() {
			t.Errorf("%s: Own is true although nobody knows the client's writes", name)
		}
		if by := delta.NewChanges(told[0]).Assume(delta.Circumstances{Writes: ours}); slices.Collect(by.All())[0].Own() != tt.want {
			t.Errorf("%s: Own is not %v in a test's changes", name, tt.want)
		}
	}
}

func TestLedgerForgetsNobodySooner(t *testing.T) {
	ledger := delta.NewLedger[int](delta.LedgerOptions{LedgerLimits: delta.LedgerLimits{Remembered: 100}})
	before := time.Now()
	for r := range 50 {
		ledger.Record(r, delta.Change{Cause: delta.External})
		ledger.Landed(r)
		ledger.Take(r)
		ledger.Settle(r, delta.Succeeded)
	}
	for r := range 50 {
		if at, ok := ledger.LastSuccess(r); !ok || at.Before(before.Truncate(0)) || at.After(time.Now()) {
			t.Errorf("the last success of %d is %v, %v", r, at, ok)
		}
	}
	if got := ledger.Status(); got != (delta.LedgerStatus{Remembered: 50}) {
		t.Errorf("the ledger holds %+v, want 50 remembered and no more", got)
	}
}

func TestBlindLedgerIsNeverComplete(t *testing.T) {
	ledger := delta.NewLedger[string](delta.LedgerOptions{})
	ledger.Blind("a reason")
	ledger.Blind("another")
	for range 2 {
		ledger.Record("r", delta.Change{Cause: delta.External})
		ledger.Landed("r")
		if got := ledger.Take("r"); got.Complete() || got.Incomplete() != "a reason" || got.Len() != 1 {
			t.Errorf("told %s, want the changes, and the first reason why they are not complete", got)
		}
		ledger.Settle("r", delta.Succeeded)
	}
}

// An object may have come and gone before a list, and nobody was told.
func TestARelistRulesOutNoCauseOfAWatch(t *testing.T) {
	var relists uint64
	l := delta.NewLedger[string](delta.LedgerOptions{})
	l.Relists(func() uint64 { return relists })
	ask := func() (watches []bool, others bool) {
		record(l, "r", delta.Change{Cause: delta.Generic, New: at(1, 1)})
		told := l.Take("r")
		l.Settle("r", delta.Succeeded)
		return []bool{told.Has(delta.Primary), told.Has(delta.Owned), told.Has(delta.Mapped)},
			told.Has(delta.InitialList) || told.Has(delta.External) || told.Has(delta.Resync) || told.Has(delta.Retry) || told.Has(delta.Timer)
	}
	for _, relisted := range []bool{false, true, false} {
		if relisted {
			relists++
		}
		watches, others := ask()
		if slices.Contains(watches, !relisted) || others {
			t.Errorf("after a relist %t: Has is %t for the watches' causes and %t for another one", relisted, watches, others)
		}
	}
}

// Nil is an example of no kind, so no change is ruled out.
func TestOfNothing(t *testing.T) {
	l := knowing(delta.LedgerLimits{})
	record(l, "r", became(at(1, 1), at(2, 2)))
	told := l.Take("r")
	var nobody *appsv1.Deployment
	for _, example := range []delta.Object{nil, nobody} {
		if got := told.Of(example); got.Complete() && !got.Touches("spec.replicas") {
			t.Errorf("Of(%#v) rules out that replicas changed", example)
		}
		ran := false
		if err := delta.Plan(delta.NewContext(t.Context(), told)).On(example).Do("step", func(context.Context) error { ran = true; return nil }); err != nil || !ran {
			t.Errorf("a step that depends on %#v: %v, and it ran: %t", example, err, ran)
		}
	}
}

// Nobody tells the changes of a kind without a watch, so nothing is ruled out.
func TestOfAKindThatNobodyWatches(t *testing.T) {
	var lines []string
	l := delta.NewLedger[string](delta.LedgerOptions{
		KindOf:  kindOf,
		Watches: func(kind schema.GroupVersionKind) bool { return kind.Kind == "Deployment" },
		Log:     funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{}),
	})
	for range 3 {
		record(l, "r", became(at(1, 1), at(2, 2)))
		told := l.Take("r")
		l.Settle("r", delta.Succeeded)
		if got := told.Of(&corev1.Secret{}); got.Complete() || !got.Touches("data") || !strings.Contains(got.Incomplete(), "shows") && told.Complete() {
			t.Errorf("changes of a kind without a watch: complete %t (%s), data touched: %t", got.Complete(), got.Incomplete(), got.Touches("data"))
		}
	}
	if len(lines) != 1 || !strings.Contains(lines[0], "no watch of the controller shows v1 Secret: add one with Owns or Watches") {
		t.Errorf("logged %q", lines)
	}
}

func second(n int64) *metav1.Time { return new(metav1.Unix(n, 0)) }

// writer is the entry of a manager that wrote in this second.
func writer(name string, at int64, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: name, Operation: metav1.ManagedFieldsOperationUpdate, Time: second(at), FieldsV1: metav1.NewFieldsV1(fields)}
}

func podWrittenBy(entries ...metav1.ManagedFieldsEntry) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", ManagedFields: entries}}
}

// beingDeleted returns the object after a request to delete it at a second, with ten
// seconds of grace.
func beingDeleted(pod *corev1.Pod, at int64) *corev1.Pod {
	pod = pod.DeepCopy()
	pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = second(at+10), new(int64(10))
	return pod
}

// TestManagerCreditsNobodyForWhatIsNotHis also has changes that leave no entry of their own.
func TestManagerCreditsNobodyForWhatIsNotHis(t *testing.T) {
	alice, bob := writer("alice", 10, `{"f:metadata":{"f:annotations":{}}}`), writer("bob", 5, `{"f:spec":{}}`)
	before := podWrittenBy(bob, alice)
	less := alice
	less.FieldsV1 = metav1.NewFieldsV1(`{}`)
	later := alice
	later.Time = second(11)
	carol := writer("carol", 10, `{"f:status":{}}`) // in the second of alice
	applied := alice
	applied.Operation = metav1.ManagedFieldsOperationApply
	scaler := metav1.ManagedFieldsEntry{Manager: "scaler"} // who scales a custom resource leaves no time
	won, lost := writer("alice", 10, `{"f:metadata":{},"f:spec":{"f:x":{}}}`), writer("alice", 10, `{"f:metadata":{}}`)
	gained, none := writer("carol", 10, `{"f:spec":{"f:x":{}},"f:status":{}}`), writer("carol", 10, `{"f:status":{}}`)
	tie, scaled := podWrittenBy(bob, alice, carol), podWrittenBy(bob, less, scaler)
	if got := delta.LastWrite(scaled); got != nil {
		t.Errorf("the last writer is %v, and that can't be known", got)
	}
	for name, c := range map[string]struct {
		change delta.Change
		want   string
	}{
		"a deletion begins":                     {delta.Change{Old: before, New: beingDeleted(before, 12)}, ""},
		"nothing that was written down":         {delta.Change{Old: before, New: before.DeepCopy()}, ""},
		"another takes a field away":            {delta.Change{Old: before, New: podWrittenBy(bob, less)}, ""},
		"she writes again":                      {delta.Change{Old: before, New: podWrittenBy(bob, later)}, "alice"},
		"she writes for the first time":         {delta.Change{Old: podWrittenBy(bob), New: before}, "alice"},
		"she writes, and a deletion follows":    {delta.Change{Old: podWrittenBy(bob), New: beingDeleted(before, 12), Deltas: 2}, ""},
		"she writes in the second of it":        {delta.Change{Old: podWrittenBy(bob), New: beingDeleted(before, 10), Deltas: 2}, ""},
		"a deletion, and then she writes":       {delta.Change{Old: podWrittenBy(bob), New: beingDeleted(before, 9), Deltas: 2}, "alice"},
		"she writes while it is being deleted":  {delta.Change{Old: beingDeleted(podWrittenBy(bob), 8), New: beingDeleted(before, 8)}, "alice"},
		"what came is being deleted":            {delta.Change{New: beingDeleted(before, 12)}, ""},
		"one of three is the last":              {delta.Change{Op: delta.Updated, New: podWrittenBy(bob, alice, writer("carol", 7, `{}`))}, "alice"},
		"two in one second":                     {delta.Change{Old: before, New: tie}, "carol"},
		"two in one second, unknown before":     {delta.Change{New: tie}, ""},
		"two in one second, one takes a field":  {delta.Change{Old: podWrittenBy(won, none), New: podWrittenBy(lost, gained)}, "carol"},
		"and the other takes it back":           {delta.Change{Old: podWrittenBy(lost, gained), New: podWrittenBy(won, none)}, "alice"},
		"two in one second, one loses a field":  {delta.Change{Old: podWrittenBy(won, none), New: podWrittenBy(lost, none)}, ""},
		"two in one second, seen in a list":     {delta.Change{Old: podWrittenBy(won, none), New: podWrittenBy(lost, gained), Relisted: true}, ""},
		"two in one second, both take a field":  {delta.Change{Old: podWrittenBy(lost, none), New: podWrittenBy(won, gained)}, ""},
		"two in one second, and more":           {delta.Change{Old: before, New: tie, Deltas: 2}, ""},
		"scaled":                                {delta.Change{Old: before, New: scaled}, "scaler"},
		"scaled, and nobody knows before":       {delta.Change{Op: delta.Updated, New: scaled}, ""},
		"scaled, and more":                      {delta.Change{Old: before, New: scaled, Deltas: 2}, ""},
		"scaled once more":                      {delta.Change{Old: scaled, New: scaled}, ""},
		"deleted":                               {delta.Change{Op: delta.Deleted, New: before}, ""},
		"stripped":                              {delta.Change{Op: delta.Updated, New: podWrittenBy()}, ""},
		"of no object":                          {delta.Change{Op: delta.Updated}, ""},
		"read off before the entries were gone": {delta.Change{Old: podWrittenBy(), New: beingDeleted(podWrittenBy(), 12), Origin: delta.LastWrite(before)}, ""},
		"read off, and not a deletion":          {delta.Change{Old: podWrittenBy(), New: podWrittenBy(), Origin: delta.LastWrite(before)}, "alice"},
		"read off, and known before":            {delta.Change{Old: before, New: podWrittenBy(), Origin: delta.LastWrite(before)}, ""},
		"read off, and new":                     {delta.Change{Old: podWrittenBy(bob), New: podWrittenBy(), Origin: delta.LastWrite(before)}, "alice"},
	} {
		if c.change.Op == 0 {
			c.change.Op = delta.Added
			if c.change.Old != nil {
				c.change.Op = delta.Updated
			}
		}
		if got := c.change.Manager(); got != c.want {
			t.Errorf("%s: the manager is %q, want %q", name, got, c.want)
		}
	}
	if got := delta.LastWrite(podWrittenBy(bob, applied)); got == nil || got.Manager != "alice" || got.Operation != "Apply" {
		t.Errorf("read off before the transform is %v", got)
	}
}
