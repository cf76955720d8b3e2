//go:build invariants || race

package invariant

// Enabled says whether the checks run. It is a constant, so that
// `if invariant.Enabled { … }` disappears from builds without them.
const Enabled = true
