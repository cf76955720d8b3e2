package objects

import "github.com/delta-runtime/delta-runtime/pkg/delta"

// Convert returns the delta with its objects as a B. It reports false if obj does for either
// object. obj is also given the zero A of a delta that lacks Old or New.
func Convert[A, B any](d *delta.Delta[A], obj func(A) (B, bool)) (delta.Delta[B], bool) {
	before, ok := obj(d.Old)
	if !ok {
		return delta.Delta[B]{}, false
	}
	after, ok := obj(d.New)
	if !ok {
		return delta.Delta[B]{}, false
	}
	return delta.Delta[B]{
		Key: d.Key, Op: d.Op, Initial: d.Initial, Missed: d.Missed, Relisted: d.Relisted,
		Old: before, New: after, Version: d.Version, Seen: d.Seen, Origin: d.Origin,
	}, true
}
