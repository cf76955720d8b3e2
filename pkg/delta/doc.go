// Package delta is the vocabulary of delta-runtime: which object, what
// happened to it, and what it looked like before and after.
//
//	API server ──event──▶ Delta{Key, Op, New} ──applied to the store──▶ Delta{…, Old}
//	                                                                       │
//	                                                  listeners, ledger ◀──┘
//
// A Delta is born in the Reflector with the object as the server sent it, and
// is completed when it is applied to the store: only then is it known what was
// there before, and so whether a relisted object is new, changed or neither.
//
// # Concurrency
//
// Everything here is plain data without locks. A Delta that has reached a
// listener is shared by all listeners and by the store: nobody may change it,
// nor the objects it points to.
//
// # Testing
//
// The package has no state to model; its tests check that Key and its text form
// are two spellings of one thing (also fuzzed) and that no Op prints as another.
package delta
