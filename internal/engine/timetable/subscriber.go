package timetable

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// resyncing is what is known of one subscriber and policy.
type resyncing struct {
	policy resync.Policy
	wanted []labels.Selector // on demand, and not begun; in a subscriber's first
	last   time.Time         // the last tick, or when the subscriber came
	next   time.Time         // zero: never
	rest   []delta.Key       // what runs by an earlier policy had yet to show
	more   *resyncing        // by the subscriber's other policies, which are for other namespaces
}

// resyncDemands is how many different things may be wanted and not begun. A subscriber
// that wants more is shown everything.
const resyncDemands = 16

// minPeriod is the shortest period that there is, also by jitter. With less, a mistake in a
// unit takes a whole processor.
const minPeriod = 100 * time.Millisecond

// SetAll adds a subscriber or changes its policies, each for namespaces of its own. Those that were there before go
// on counting.
func (r *Timetable) SetAll(subscriber uint32, policies []resync.Policy, now time.Time) {
	policies = slices.Clone(policies)
	for i := range policies {
		if policies[i].Period > 0 {
			policies[i].Period = max(policies[i].Period, minPeriod)
		}
	}
	before := r.subscribers[subscriber]
	var first *resyncing
	rest := r.withdraw(subscriber, func(run *resyncRun) bool {
		return !run.demand && !has(policies, run.Policy)
	})
	for l := before; l != nil; l = l.more {
		if l.rest != nil && !has(policies, l.policy) {
			rest = addRest(rest, l.rest)
		}
	}
	for _, policy := range slices.Backward(policies) {
		first = r.goesOn(before.by(policy), policy, now, first)
		if policy.Period > 0 && first.rest == nil {
			first.rest = rest
		}
	}
	if before != nil {
		first.wanted = before.wanted
	}
	r.subscribers[subscriber] = first
}

// goesOn returns what becomes of known, which may be nil, by another policy.
func (r *Timetable) goesOn(known *resyncing, policy resync.Policy, now time.Time, more *resyncing) *resyncing {
	l := &resyncing{policy: policy, last: now, more: more}
	if known != nil {
		l.last = known.last
		if Same(known.policy, policy) {
			l.next, l.rest = known.next, known.rest
			return l
		}
	}
	if policy.Period > 0 {
		l.next = l.last.Add(r.jittered(policy)) // which may be past: then it is due at once
	}
	return l
}

// want asks for what a selector chooses to be shown to a subscriber; nil is all.
func (l *resyncing) want(selector labels.Selector) {
	all := func(s labels.Selector) bool { return s == nil || s.Empty() }
	switch {
	case slices.ContainsFunc(l.wanted, func(s labels.Selector) bool { return all(s) || sameSelection(s, selector) }):
	case all(selector), len(l.wanted) == resyncDemands:
		l.wanted = []labels.Selector{nil}
	default:
		l.wanted = append(slices.Clip(l.wanted), selector)
	}
}

// onDemand is the policy to show by what is wanted on demand: of what is said for
// periods, only what is about the work that it makes.
func (l *resyncing) onDemand(selector labels.Selector) resync.Policy {
	return resync.Policy{Spread: resync.AllAtOnce, Selector: selector, Rate: l.policy.Rate}
}

// by returns what a policy goes on from: the one for the same namespaces, or for
// some others with the same rhythm, or any.
func (l *resyncing) by(policy resync.Policy) *resyncing {
	var alike *resyncing
	for other := l; other != nil; other = other.more {
		if sameNamespaces(other.policy, policy) {
			return other
		}
		if alike == nil && other.policy.Period == policy.Period {
			alike = other
		}
	}
	if alike != nil {
		return alike
	}
	return l
}

// periodic reports whether there is any period.
func (l *resyncing) periodic() bool {
	for ; l != nil; l = l.more {
		if l.policy.Period > 0 {
			return true
		}
	}
	return false
}

// Status tells how far resyncs are.
func (r *Timetable) Status(now time.Time) resync.Status {
	s := resync.Status{Runs: len(r.runs), Shown: r.shown, Skipped: r.skipped}
	for _, run := range r.runs {
		s.Left += len(run.keys)
	}
	for _, l := range r.subscribers {
		s.Waiting += len(l.wanted)
		for ; l != nil; l = l.more {
			s.Next = earlier(s.Next, l.next, now)
		}
	}
	return s
}
