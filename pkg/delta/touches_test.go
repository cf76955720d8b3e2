package delta_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

func TestTouchesRulesOutWhatItKnows(t *testing.T) {
	scaled := scaledUp()
	created := delta.Change{Op: delta.Added, New: deployment(3)}
	resync := delta.Change{Cause: delta.Resync, Op: delta.Sync, New: deployment(5)}
	resync.Old = resync.New
	shown := resync
	shown.Cause = delta.Relist
	retry, timer := delta.Change{Cause: delta.Retry}, delta.Change{Cause: delta.Timer}
	missed := delta.Change{Op: delta.Deleted, Old: deployment(3), Missed: true}
	gone := delta.Change{Op: delta.OutOfScope, Old: deployment(3)}
	for name, tt := range map[string]struct {
		changes delta.Changes
		want    bool
	}{
		"it":                      {delta.NewChanges(scaled), true},
		"something else":          {delta.NewChanges(delta.Change{Op: delta.Updated, Old: deployment(3, "a"), New: deployment(3, "b")}), false},
		"one of two":              {delta.NewChanges(resync, scaled), true},
		"nothing":                 {delta.NewChanges(), false},
		"a resync":                {delta.NewChanges(resync), true},
		"as it was":               {delta.NewChanges(shown), false},
		"a timer":                 {delta.NewChanges(timer), false},
		"a retry":                 {delta.NewChanges(retry, resync), true},
		"what has no object":      {delta.NewChanges(delta.Change{Cause: delta.External}), true},
		"what is not an update":   {delta.NewChanges(delta.Change{Cause: delta.Generic, New: deployment(3)}), true},
		"an object that came":     {delta.NewChanges(created), true},
		"an object that went":     {delta.NewChanges(delta.Change{Op: delta.Deleted, Old: deployment(3), New: deployment(3)}), true},
		"went unnoticed":          {delta.NewChanges(missed), true},
		"out of scope":            {delta.NewChanges(gone), true},
		"not all that there is":   {delta.NewChanges(resync).Assume(delta.Circumstances{Lacking: "some"}), true},
		"nothing that is known":   {delta.Changes{}, true},
		"resynced after a change": {delta.NewChanges(scaled, resync), true},
	} {
		if got := tt.changes.Touches("spec.replicas"); got != tt.want {
			t.Errorf("%s: Touches is %v, want %v", name, got, tt.want)
		}
	}
	if !delta.NewChanges(scaled).Touches("spec..[[") {
		t.Error("what can't be asked is ruled out")
	}
}

func TestDiffOfAChange(t *testing.T) {
	for name, tt := range map[string]struct {
		change delta.Change
		empty  bool
	}{
		"update":     {scaledUp(), false},
		"creation":   {delta.Change{Op: delta.Added, New: deployment(3)}, false},
		"deletion":   {delta.Change{Op: delta.Deleted, Old: deployment(3), New: deployment(3)}, false},
		"resync":     {delta.Change{Op: delta.Sync, Old: deployment(3), New: deployment(3)}, true},
		"no object":  {delta.Change{Cause: delta.External}, true},
		"same state": {delta.Change{Op: delta.Updated, Old: deployment(3), New: deployment(3)}, true},
	} {
		if got := tt.change.Diff(); got.Empty() != tt.empty {
			t.Errorf("%s: the difference is %s", name, got)
		}
	}
}

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
