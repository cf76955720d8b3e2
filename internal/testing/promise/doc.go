// Package promise judges whether a reconciler may skip a piece of its work. It knows nothing of
// ledgers: only what the reconciler has read, and what watches have shown.
//
//	each read ──▶ Reads ──Outdated(piece, what the watches show last)──▶ a read that shows something else: no skip
//	                ▲
//	   Begin, Dealt ┘ the calls
//
// It is the promise of docs/guides/what-changed.md. A reconciler may have acted by every state that it has
// read since the last call began that dealt with all that it was told. So each of these states has to lead to the same
// result as the newest one that was shown. A state that no watch has shown yet does not count, because
// it will be told.
//
// It is test support: only _test.go files import it. Its callers lock. Both judges that ask it have mutants to show that they
// can fail: see hack/mutants.
package promise
