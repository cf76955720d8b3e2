package delta_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

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
