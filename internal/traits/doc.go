// Package traits is what the core must know of the objects that it keeps, whatever their Go
// type is.
//
//	engine, store ──▶ Of[T]{Key, Version, UID, Labels, Detach, Equal} ──▶ T
//
// # Concurrency
//
// The functions of an Of only read. Any goroutine may call them.
//
// # Testing
//
// The tests of packages engine and store use traits of their own types.
package traits
