// Package resync has the policy of a resync: when subscribers are shown objects that have not
// changed, which ones, and how fast.
//
//	│◀───── Period ─────▶│
//	│ all at once        │ all at once        │     Spread: AllAtOnce
//	│ ·  ·  ·  ·  ·  ·  ·│ ·  ·  ·  ·  ·  ·  ·│     Spread: OverPeriod
//
// A zero field has no opinion. It is filled from the next wider level: a handler's own policy,
// the kind's, that of all kinds, SyncPeriod. The guide docs/guides/resync.md shows how to choose one.
//
// # Concurrency
//
// A [Policy] is data, and nothing changes one that it was given.
//
// # Testing
//
// internal/engine/timetable plays policies in random scripts against a model.
package resync
