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
// The tests of packages diff and delta cover this package: the states of their model's
// objects have and lack versions and UIDs.
package states
