package toolscache

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// TestReplaceLeavesTheListAlone transforms the objects of a list that stays its caller's.
func TestReplaceLeavesTheListAlone(t *testing.T) {
	strip := func(obj any) (any, error) {
		bare := obj.(*corev1.ConfigMap).DeepCopy()
		bare.Data = nil
		return bare, nil
	}
	f := NewDeltaFIFOWithOptions(DeltaFIFOOptions{Transformer: strip})
	full := configMap("a", "1")
	full.Data = map[string]string{"key": "value"}
	list := []any{full}
	if err := f.Replace(list, "1"); err != nil {
		t.Fatal(err)
	}
	if list[0] != any(full) {
		t.Error("the caller's list has what the transform made")
	}
	if _, err := f.Pop(func(obj any, _ bool) error {
		if got := obj.(cache.Deltas).Newest().Object.(*corev1.ConfigMap); got.Data != nil {
			t.Errorf("queued was %v", got)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
