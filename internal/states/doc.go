// Package states compares states of API objects without looking for what differs.
//
//	two objects ──▶ one in memory? ──▶ one version and equal? ──▶ one state of one object
//	                └── the same UID? ──▶ two states of one object, or two objects
//
// # Concurrency
//
// All functions only read. Any goroutine may call them.
//
// # Testing
//
// A table of pairs says of each function what it answers. Packages diff and delta play random
// states over it.
package states
