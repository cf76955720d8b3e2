// Package observe says what can be seen of a cache and of a controller that run. A Runtime of internal/managed has those
// that do.
//
// Its entries are asked, and ask in turn: an informer for its Status, a queue for its Stats. A
// controller also counts what its reconciler was called for, in [Calls].
//
// Any goroutine may call anything.
package observe
