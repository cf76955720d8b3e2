package timetable

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Same reports whether two policies say the same. Two selectors do if they are known to choose
// the same objects.
func Same(p, q resync.Policy) bool {
	return p.Period == q.Period && p.Jitter == q.Jitter && p.Spread == q.Spread &&
		p.Rate == q.Rate && p.AsUpdate == q.AsUpdate &&
		p.OnlyIfNotReconciledFor == q.OnlyIfNotReconciledFor &&
		slices.Equal(p.Namespaces, q.Namespaces) && slices.Equal(p.Except, q.Except) &&
		sameSelection(p.Selector, q.Selector)
}

// has reports whether one of the policies says the same as p.
func has(policies []resync.Policy, p resync.Policy) bool {
	return slices.ContainsFunc(policies, func(q resync.Policy) bool { return Same(p, q) })
}

// sameSelection reports whether two selectors are known to choose the same objects.
func sameSelection(a, b labels.Selector) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	// The selectors of everything and of nothing have the same text.
	return a.Empty() == b.Empty() && a.String() == b.String()
}
