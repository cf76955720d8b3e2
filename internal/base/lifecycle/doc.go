// Package lifecycle owns goroutines: a Group is a set of named tasks that live
// and die together, and nothing else in this module has a go statement.
//
//	        New(ctx)
//	   ┌───────┴────────┐
//	Go("apply", …)   Guest("subscriber a", …)
//	   │ returns        │ returns
//	   ▼                ▼
//	stops the Group   only itself is gone
//	   └───────┬────────┘
//	         Wait()      returns when nothing of the Group runs any more
//
// Any goroutine may call every method, except that a task must not
// Wait for its own Group. A task that panics stops the Group, and Wait panics in
// its caller with a [Crash] that holds the value and the task's stack: the crash
// shows up where the Group is owned, not in a goroutine that nobody can recover.
// runtime.Goexit in a task counts as a panic with [ErrGoexit].
package lifecycle
