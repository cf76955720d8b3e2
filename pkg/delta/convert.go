package delta

// Convert returns the delta with its objects as a B. It reports false if obj does for either
// object. obj is also given the zero A of a delta that lacks Old or New.
func Convert[A, B any](d *Delta[A], obj func(A) (B, bool)) (Delta[B], bool) {
	before, ok := obj(d.Old)
	if !ok {
		return Delta[B]{}, false
	}
	after, ok := obj(d.New)
	if !ok {
		return Delta[B]{}, false
	}
	return Delta[B]{
		Key: d.Key, Op: d.Op, Initial: d.Initial, Missed: d.Missed, Relisted: d.Relisted, Folded: d.Folded,
		Old: before, New: after, Version: d.Version, Seen: d.Seen, Origin: d.Origin,
	}, true
}
