package predicate_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/delta-runtime/delta-runtime/pkg/predicate"
)

func TestNotResyncKnowsStates(t *testing.T) {
	at := func(uid types.UID, version string) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: version}}
	}
	blank := at("", "")
	for name, tt := range map[string]struct {
		e      event.UpdateEvent
		passes bool
	}{
		"resync":            {update(at("a", "1"), at("a", "1")), false},
		"change":            {update(at("a", "1"), at("a", "2")), true},
		"another object":    {update(at("a", "1"), at("b", "1")), true},
		"no version":        {update(at("a", ""), at("a", "")), true},
		"one and no other":  {update(blank, blank), false},
		"version was known": {update(at("a", "1"), at("a", "")), true},
	} {
		if got := predicate.NotResync().Update(tt.e); got != tt.passes {
			t.Errorf("%s: passes is %v, want %v", name, got, tt.passes)
		}
	}
	typed := predicate.TypedNotResync[*corev1.ConfigMap]()
	if typed.Update(event.TypedUpdateEvent[*corev1.ConfigMap]{ObjectOld: &corev1.ConfigMap{}, ObjectNew: nil}) != true {
		t.Error("an event without its object does not pass")
	}
}
