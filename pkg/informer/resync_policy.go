package informer

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// ResyncPolicy says when a listener is shown objects again that have not changed.
// The zero value has no opinion: filled up by nothing else it means never.
type ResyncPolicy struct {
	// Period is the time from one resync to the next. [NeverResync] switches it
	// off; zero has no opinion.
	Period time.Duration
	// Jitter makes each period longer or shorter by up to this fraction of it, so
	// that many processes started together drift apart. 0.1 means ±10 %.
	Jitter float64
	// Spread says when in the period each object's turn is.
	Spread Spread
	// Rate is how many objects a second are shown at most. Zero is no limit.
	Rate float64
	// Selector chooses the objects. Nil chooses all.
	Selector labels.Selector
	// Namespaces chooses the objects, too: those in one of these. None chooses all,
	// but for those in Except. A listener may have a policy for some namespaces and
	// another one for others.
	Namespaces []string
	Except     []string
	// OnlyIfNotReconciledFor leaves out objects that somebody has taken care of
	// more recently than this. Zero leaves out none.
	OnlyIfNotReconciledFor time.Duration
	// Lane is the queue's lane that what the resync causes is to take.
	Lane int
}

// NeverResync is the Period of a listener that is not to be resynced, whatever
// a fallback says. It can still be asked for on demand.
const NeverResync time.Duration = -1

// Spread is how a resync's objects are laid out over its period.
type Spread uint8

const (
	// AllAtOnce shows every object as soon as the period is over; it is what an
	// unset Spread means.
	AllAtOnce Spread = iota + 1
	// OverPeriod gives each object its own moment in the period, the same in each:
	// the work is level, and every object's own distance is exactly the period.
	OverPeriod
)

// Or fills p's gaps from fallback.
func (p ResyncPolicy) Or(fallback ResyncPolicy) ResyncPolicy {
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
	p.Lane = cmp.Or(p.Lane, fallback.Lane)
	return p
}

// sharesRun reports whether listeners with these policies that are due together
// can be shown the same objects at the same moments.
func (p ResyncPolicy) sharesRun(q ResyncPolicy) bool {
	spread := p.Spread == OverPeriod
	return spread == (q.Spread == OverPeriod) && (!spread || p.Period == q.Period) &&
		p.Rate == q.Rate && p.Lane == q.Lane &&
		p.OnlyIfNotReconciledFor == q.OnlyIfNotReconciledFor &&
		p.Selector == nil && q.Selector == nil && p.sameNamespaces(q)
}

func (p ResyncPolicy) sameNamespaces(q ResyncPolicy) bool {
	return slices.Equal(p.Namespaces, q.Namespaces) && slices.Equal(p.Except, q.Except)
}

// inNamespace returns the test whether objects of a namespace are chosen.
func (p ResyncPolicy) inNamespace() func(namespace string) bool {
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

// keyHash is drawn anew in each process, so that replicas don't all show the
// same object at the same moment.
var keyHash = maphash.MakeSeed()

// phase is how far into the period the key's moment is.
func phase(key delta.Key, period time.Duration) time.Duration {
	into, _ := bits.Mul64(maphash.Comparable(keyHash, key), uint64(period))
	return time.Duration(into)
}

// arrange puts keys in the order in which a run with this policy shows them.
func (p ResyncPolicy) arrange(keys []delta.Key) {
	if p.Spread != OverPeriod {
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
