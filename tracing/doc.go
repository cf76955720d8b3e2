// Package tracing makes spans of OpenTelemetry of the calls of a reconciler: from the moment when
// the watch showed what the call is for to the end of the call.
//
//	watch ──▶ delta ──▶ ledger and queue ──▶ worker ──▶ Reconciler ──▶ yours
//	            │                              │            │            │
//	            │◀───────────── site ──────────┼────────────┼───────────▶│   the span of all
//	            │◀─────────── wait ───────────▶│◀──────── reconcile ────▶│   its two parts
//	                                                │◀ step a ▶│◀step b▶│    steps of delta.Plan, and
//	                                                   │◀ PATCH ▶│           spans of your own
//
// The span of all has the name of the controller. It says which request it is about, and has an
// event for each change that the call was told of: its cause, kind, object, operation, field
// manager, and the paths of the fields that differ. It never has their values. A call that goes on
// with what an earlier one did not get done has a link to that one's span.
//
// The context that the reconciler gets has the span reconcile. So spans of its own, and those of
// its requests where the transport of rest.Config makes some, are parts of it. The logger of the
// context says the trace's ID.
//
// # Concurrency
//
// A controller may call the reconciler from all its workers at once. It starts no goroutine, and
// remembers a bounded number of calls that did not succeed.
//
// # Testing
//
// Tests run a controller against a real API server, and judge the spans that OpenTelemetry's SDK
// records. One of them looks for values of Secrets in all that was recorded.
package tracing
