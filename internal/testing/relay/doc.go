// Package relay puts a line that can be cut between clients and servers.
//
//	client ──▶ Address ──▶ Relay ──▶ the next server that answers
//	                         │
//	             Cut, Darken, Lighten
//
// A relay to several servers stands for what shares connections out among them, as a
// Service does. It is test support: only _test.go files import it.
//
// Any goroutine may call the methods. A relay has goroutines of its own, which are gone
// when its test is.
package relay
