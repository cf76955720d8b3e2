//go:build invariants || race

package lock

// Invariants says whether the checks run. It is a constant, so that
// `if lock.Invariants { … }` disappears from builds without them.
const Invariants = true
