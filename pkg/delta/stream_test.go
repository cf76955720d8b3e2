package delta_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

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
