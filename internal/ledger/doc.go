// Package ledger is the side of a ledger that our own packages use: sources and queues
// record, and the builder tells the reconciler. Package delta implements it.
//
//	source ── Stream, Delivery ──┐
//	queue ─── Record, Landed ────┼──▶ Clerk ── Begin ──▶ Call ──▶ reconciler
//	source ── Count, Blind ──────┘      ▲                  │
//	                                    └─────── End ──────┘
//
// A worker could take a request whose change is not recorded yet. So Record comes before
// the request is put into the queue, and Landed after it. Any goroutine may call a Clerk, and one worker at a time has a
// request.
//
// The interfaces have type parameters for the types of package delta, because package delta
// imports this one.
package ledger
