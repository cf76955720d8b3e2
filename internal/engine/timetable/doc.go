// Package timetable decides which objects a resync shows again, who sees them, and when. A
// [Timetable] has no lock, no goroutine and no clock: it is told what it needs to know.
//
//	SetAll, Trigger ──▶ Due ──▶ Tick ──keys──▶ Begin ──▶ run ──▶ Next ──▶ Batch
//
// A [Tick] says that some subscribers are due. The caller gathers the keys, and Begin makes
// a run of both. Next hands out a run's keys in batches of at most [Chunk], one at a time:
// the caller asks for the next when the last is published, and it comes if the run's subscribers have kept up. So
// a live event waits for one batch at most, never for a resync. A subscriber that does not
// keep up gets a run of its own that waits for it, and the others go on.
//
// One goroutine at a time may call a Timetable; its owner has a lock for that. An [Audience]
// is immutable, so any goroutine may read it.
package timetable
