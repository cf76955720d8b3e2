// Package page serves an operator's inspector on a loopback address of this machine, for a
// browser.
//
//	browser ──▶ http://127.0.0.1:PORT/?key=… ──▶ guard ──▶ transport that adds the token ──▶ inspector
//
// A request that gets through can do what the token allows. So the guard asks three things of each
// request. Its host is the address that was printed: a page of somebody else that lets its
// own name point here has another. It does not come from another site or another port, by what
// the browser says of its origin. And it knows the key, which only the terminal of the user
// showed: other users of this machine can connect to the port too.
//
// # Concurrency
//
// A Server may serve many requests at once.
//
// # Testing
//
// The tests send the requests of an attacker, one for each question of the guard, and those of
// a browser that follows the link.
package page
