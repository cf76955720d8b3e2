// Package listwatch says what a Reflector needs of an API, and reads it from a client.
//
//	Client ──List, Watch──▶ Of ──▶ ListWatcher ──▶ Page
//	                                           ──▶ Stream ──▶ Event
//
// [Of] leaves out what no store can be made of: objects of another kind, tables, what has no
// metadata. A list's items may be lent: then they are parts of the list, and the one who keeps
// one copies it.
//
// # Concurrency
//
// A [ListWatcher] is for any goroutine. A [Stream] is for one, except Close, which any may
// call.
//
// # Testing
//
// pkg/toolscache tests what Of makes of client-go's clients and fakes.
package listwatch
