package toyoperator

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/delta-runtime/delta-runtime/internal/inspector"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAnEditLeadsToACall(t *testing.T) {
	o := New()
	s := o.Follow(inspector.DeltaQuery{Kind: Deployment, Since: o.told})
	defer s.Close()
	o.Edit(ID{Deployment, "demo", "blog"}, "kubectl-scale", Replicas(2, 3))
	<-s.Ready()
	if deltas, lost := s.Take(10); len(deltas) != 1 || lost != 0 || deltas[0].Edits[0] != Replicas(2, 3) {
		t.Errorf("the stream has %+v, and %d are lost", deltas, lost)
	}
	if q := o.Queues(Controller, 10)[0]; q.Ready != 1 {
		t.Errorf("the queue is %+v", q)
	}
	o.Work()
	calls := o.Reconciles(inspector.ReconcileQuery{Name: "blog", Limit: 1}).Items
	if len(calls) != 1 || calls[0].Changes[0].Manager != "kubectl-scale" {
		t.Errorf("the calls are %+v", calls)
	}
	o.Delete(ID{Deployment, "demo", "blog"})
	if why, err := o.Why(Deployment, "demo", "blog"); err != nil || why.Cached || len(why.Deltas) != 3 || len(why.Told) != 2 {
		t.Errorf("of what is gone is known %+v (error %v)", why, err)
	}
}

func TestASlowStreamKnowsWhatItHasLost(t *testing.T) {
	o := New()
	s := o.Follow(inspector.DeltaQuery{})
	for range kept {
		o.Edit(ID{ConfigMap, "demo", "blog-files"}, "kubectl")
	}
	dropped := o.Deltas(inspector.DeltaQuery{Limit: 1}).Dropped
	if deltas, lost := s.Take(100); len(deltas) != 100 || lost != dropped || dropped == 0 {
		t.Errorf("it has %d, and %d of %d are lost", len(deltas), lost, dropped)
	}
	if s.Close(); o.Streams() != 0 {
		t.Error("a closed stream is still there")
	}
}
