package predicate_test

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/delta-runtime/delta-runtime/internal/ledger/writes"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/predicate"
)

// TestNotOwnWriteSaysThatItKnowsNothing makes the predicate for a client that does not
// remember its writes.
func TestNotOwnWriteSaysThatItKnowsNothing(t *testing.T) {
	const words = "manager.Configure"
	before := logged.count(words)
	predicate.NotOwnWrite(nil)
	if n := logged.count(words) - before; n != 1 {
		t.Errorf("%d lines of the log say what to do about it, want one", n)
	}
	predicate.NotOwnWrite(writes.New(0))
	if n := logged.count(words) - before; n != 1 {
		t.Errorf("a predicate that works has %d lines logged", n-1)
	}
}

func TestNotOwnWriteHoldsBackOurs(t *testing.T) {
	ours := writes.New(0)
	p := predicate.NotOwnWrite(ours)
	at := func(uid types.UID, version string) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "web", UID: uid, ResourceVersion: version}}
	}
	ours.Wrote("uid", "", "1")
	ours.Wrote("uid", "1", "2")
	for name, tt := range map[string]struct{ got, want bool }{
		"created":                {p.Create(event.CreateEvent{Object: at("uid", "1")}), false},
		"created and changed":    {p.Create(event.CreateEvent{Object: at("uid", "2")}), false},
		"updated":                {p.Update(update(at("uid", "1"), at("uid", "2"))), false},
		"there at the beginning": {p.Create(event.CreateEvent{Object: at("uid", "1"), IsInInitialList: true}), true},
		"resynced":               {p.Update(update(at("uid", "2"), at("uid", "2"))), true},
		"of another object":      {p.Update(update(at("other", "1"), at("uid", "2"))), true},
		"from no version":        {p.Update(update(at("uid", ""), at("uid", "2"))), true},
		"by others":              {p.Update(update(at("uid", "2"), at("uid", "3"))), true},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: passes is %v, want %v", name, tt.got, tt.want)
		}
	}
}

// In TestNotOwnWriteWaitsForTheAnswer the event comes before the answer.
func TestNotOwnWriteWaitsForTheAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		answer time.Duration
		passes bool
	}{"in time": {900 * time.Millisecond, false}, "too late": {5 * time.Second, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours := writes.New(0)
				answered := ours.Begin(schema.GroupKind{Group: "apps", Kind: "Deployment"}, delta.Key{Namespace: "team", Name: "web"})
				time.AfterFunc(tt.answer, func() {
					ours.Wrote("uid", "1", "2")
					answered()
				})
				after := deployment()
				after.ResourceVersion = "2"
				start := time.Now()
				if got := predicate.NotOwnWrite(ours).Update(update(deployment(), after)); got != tt.passes {
					t.Errorf("passes is %v, want %v", got, tt.passes)
				}
				if waited := time.Since(start); waited != min(tt.answer, time.Second) {
					t.Errorf("waited %v", waited)
				}
				time.Sleep(tt.answer)
			})
		})
	}
}
