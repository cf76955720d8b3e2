// Package wire lists and watches a kind and makes objects of the bytes that a server sends, each as it arrives.
//
//	rest.Request ──▶ body ──▶ window ──▶ items of a list, ──▶ objects ──▶ Item, Event
//	                                     events of a watch      │  ▲
//	                                                            ▼  │
//	                                       head: which object is it?
//	                                        │ known in this version      ──▶ the object that is known
//	                                        │ else                       ──▶ internal/api/decode, against what is
//	                                        │                                known, or the next of kin
//	                                        └ what that leaves to others ──▶ client-go's decoder
//
// A list is never in memory as a whole, and of a relist only what has changed is decoded.
//
// client-go makes the same of the same bytes, with three exceptions. An object of a list that can't
// be decoded is left out and told of, and does not take the list with it, nor the watch. An object that is known in
// the version that is listed is not looked at again. And two objects share the memory of what is equal in both.
//
// A [Client] is for any goroutine. A list or a stream is for one, except Close of a stream, which any may call. The
// package starts no goroutine: a list is read in the goroutine that asks for it, and a watch in the one that asks
// for its next event. The end of the context that a request was made with ends its reading.
package wire
