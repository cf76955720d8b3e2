package delta_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Nothing says what fields unstructured objects have if their schema is not known. A path
// that leads nowhere in them may be misspelt.
func TestAPathThatNothingDescribesIsTouched(t *testing.T) {
	gadget := func(version, note string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"size": note}}}
		u.SetAPIVersion("example.com/v1")
		u.SetKind("Gadget")
		u.SetName("web")
		u.SetResourceVersion(version)
		u.SetAnnotations(map[string]string{"note": note})
		return u
	}
	updated := delta.NewChanges(delta.Change{Op: delta.Updated, Old: gadget("1", "a"), New: gadget("2", "b")})
	statusOnly := gadget("2", "a")
	statusOnly.Object["status"] = map[string]any{"ready": true}
	elsewhere := delta.NewChanges(delta.Change{Op: delta.Updated, Old: gadget("1", "a"), New: statusOnly})
	same := delta.NewChanges(delta.Change{Op: delta.Sync, Old: gadget("1", "a"), New: gadget("1", "a")})
	for path, want := range map[string][3]bool{
		"spec.size": {true, false, false}, "annotations.note": {true, true, false}, "spec.sise": {true, true, false},
		"metadata.annotations.note": {true, false, false}, "status.ready": {true, true, false},
	} {
		for i, changes := range []delta.Changes{updated, elsewhere, same} {
			if got := changes.Touches(path); got != want[i] {
				t.Errorf("%s of changes %d is touched: %t", path, i, got)
			}
		}
	}
}
