// Package listwatch says what a Reflector needs of an API, and reads it from a client.
//
//	Client ──List, Watch──▶ Of ──▶ ListWatcher ──▶ Page
//	                                           ──▶ Stream ──▶ Event, a Delta that is not complete yet
//
// [Of] leaves out what no store can be made of: objects of another kind, tables, what has no
// metadata. A list's items may be lent: then they are parts of the list, and the one who keeps
// one copies it. Errors lose what they quote of the server's answer, which may be a Secret.
//
// A [ListWatcher] is for any goroutine. A [Stream] is for one, except Close, which any may
// call.
package listwatch
