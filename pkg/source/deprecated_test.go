package source_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// What was written for the old names means what it meant.
func TestTheOldNamesOfPredicates(t *testing.T) {
	at := func(version, label, phase string) client.Object {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{UID: "uid", ResourceVersion: version, Labels: map[string]string{"a": label}},
			Status:     corev1.PodStatus{Phase: corev1.PodPhase(phase)},
		}
	}
	writes := delta.NewWrites(delta.WritesOptions{})
	writes.Wrote("uid", "1", "2")
	label := event.UpdateEvent{ObjectOld: at("1", "x", ""), ObjectNew: at("3", "y", "")}
	status := event.UpdateEvent{ObjectOld: at("1", "x", ""), ObjectNew: at("2", "x", "Running")}
	resync := event.UpdateEvent{ObjectOld: at("1", "x", ""), ObjectNew: at("1", "x", "")}
	for name, tt := range map[string]struct {
		p    ctrlpredicate.Predicate
		held event.UpdateEvent
	}{
		"ChangedAt":     {source.ChangedAt[client.Object]("metadata.labels"), status},
		"NotStatusOnly": {source.NotStatusOnly[client.Object](), status},
		"NotOwnWrite":   {source.NotOwnWrite[client.Object](writes), status},
		"NotResync":     {source.NotResync[client.Object](), resync},
	} {
		if !tt.p.Update(label) || tt.p.Update(tt.held) {
			t.Errorf("%s: a change passes: %t, and what is to be held back: %t", name, tt.p.Update(label), tt.p.Update(tt.held))
		}
	}
	if _, ok := source.NotResync[client.Object]().(source.ResyncPredicate[client.Object]); !ok {
		t.Error("NotResync has no say in resyncs")
	}
	if _, ok := source.ChangedAt[client.Object]("spec").(source.RelistedPredicate[client.Object]); !ok {
		t.Error("ChangedAt has no say in what a relist shows")
	}
}
