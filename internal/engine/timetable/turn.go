package timetable

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// SameBut reports whether two policies differ in nothing but the namespaces.
func SameBut(p, q resync.Policy) bool {
	p.Namespaces, p.Except = q.Namespaces, q.Except
	return Same(p, q)
}

// sharesRun reports whether subscribers with these policies that are due together
// can be shown the same objects at the same moments.
func sharesRun(p, q resync.Policy) bool {
	spread := p.Spread == resync.OverPeriod
	if spread != (q.Spread == resync.OverPeriod) {
		return false
	}
	p.Jitter, p.Spread = q.Jitter, q.Spread
	if !spread {
		p.Period = q.Period
	}
	return Same(p, q)
}

func sameNamespaces(p, q resync.Policy) bool {
	return slices.Equal(p.Namespaces, q.Namespaces) && slices.Equal(p.Except, q.Except)
}

// InNamespace returns the test whether a policy chooses the objects of a namespace.
func InNamespace(p resync.Policy) func(namespace string) bool {
	in := make(map[string]bool, len(p.Namespaces)+len(p.Except))
	for _, namespace := range p.Namespaces {
		in[namespace] = true
	}
	for _, namespace := range p.Except {
		in[namespace] = false
	}
	byDefault := len(p.Namespaces) == 0
	return func(namespace string) bool {
		chosen, named := in[namespace]
		return chosen || !named && byDefault
	}
}

// longest is the longest time that is waited for: more than a century. To convert a larger
// number of nanoseconds to a Duration would make it negative.
const longest = 1 << 62

func durationOf(nanoseconds float64) time.Duration { return time.Duration(min(nanoseconds, longest)) }

// keyHash is different in each process, so that replicas don't all show the
// same object at the same moment.
var keyHash = maphash.MakeSeed()

// phase is how far into the period the key's moment is.
func phase(key delta.Key, period time.Duration) time.Duration {
	into, _ := bits.Mul64(maphash.Comparable(keyHash, key), uint64(period))
	return time.Duration(into)
}

// sortByTurn puts keys in the order in which a run with a policy shows them.
func sortByTurn(p resync.Policy, keys []delta.Key) {
	if p.Spread != resync.OverPeriod {
		return
	}
	type placed struct {
		key   delta.Key
		phase time.Duration
	}
	order := make([]placed, len(keys))
	for i, key := range keys {
		order[i] = placed{key, phase(key, p.Period)}
	}
	slices.SortFunc(order, func(a, b placed) int { return cmp.Compare(a.phase, b.phase) })
	for i := range order {
		keys[i] = order[i].key
	}
}

// Or returns p with its gaps filled from fallback.
func Or(p, fallback resync.Policy) resync.Policy {
	if p.Period == 0 {
		p.AsUpdate = p.AsUpdate || fallback.AsUpdate
	}
	p.Period = cmp.Or(p.Period, fallback.Period)
	p.Jitter = cmp.Or(p.Jitter, fallback.Jitter)
	p.Spread = cmp.Or(p.Spread, fallback.Spread)
	p.Rate = cmp.Or(p.Rate, fallback.Rate)
	if p.Selector == nil {
		p.Selector = fallback.Selector
	}
	if len(p.Namespaces) == 0 && len(p.Except) == 0 {
		p.Namespaces, p.Except = fallback.Namespaces, fallback.Except
	}
	p.OnlyIfNotReconciledFor = cmp.Or(p.OnlyIfNotReconciledFor, fallback.OnlyIfNotReconciledFor)
	return p
}

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
