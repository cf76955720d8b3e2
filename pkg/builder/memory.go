package builder

import (
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/memory"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// keep has the controller's ledger saved, if its manager has a memory. A controller is not saved if it has a source without objects of
// the cache, because nobody tells the next process again what that source told.
func (p *plan[R]) keep() {
	m := memory.Of(p.mgr.GetCache())
	plain, ok := any(p.ledger).(*delta.Ledger[reconcile.Request])
	switch {
	case m == nil || p.ledger == nil:
		return
	case !ok || len(p.raw) > 0:
		p.logger().Info("The controller's ledger is not saved: its requests are not reconcile.Requests, or it has a source of another sort than For, Owns and Watches")
		return
	}
	name := p.name
	clerk := plain.Clerk()
	clerk.Keep(ledger.Identity[reconcile.Request]{
		Request: func(r reconcile.Request) uint64 { return m.Hash('r', r.Namespace, r.Name) },
		Object:  func(namespace, name string) uint64 { return m.Hash('o', namespace, name) },
		Took:    func(request uint64, in ledger.Memories) { m.Took(name, request, in) },
	})
	m.AddLedger(name, clerk)
}
