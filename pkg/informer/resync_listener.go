package informer

import (
	"slices"
	"time"
)

// resyncing is what is known of one listener and policy.
type resyncing struct {
	policy ResyncPolicy
	asked  bool       // on demand; in a listener's first
	last   time.Time  // the last tick, or when the listener came
	next   time.Time  // zero: never
	more   *resyncing // by the listener's other policies, which are for other namespaces
}

// setAll is set for a listener with several policies, each for namespaces of its
// own. Those that were there before go on counting.
func (r *resync) setAll(listener uint32, policies []ResyncPolicy, now time.Time) {
	if len(policies) == 0 {
		policies = []ResyncPolicy{{}}
	}
	before := r.listeners[listener]
	var first *resyncing
	for _, policy := range slices.Backward(policies) {
		l := &resyncing{policy: policy, last: now, more: first}
		if known := before.by(policy); known != nil {
			l.last = known.last
		}
		if policy.Period > 0 {
			l.next = l.last.Add(r.jittered(policy)) // which may be past: then it is due at once
		}
		first = l
	}
	if before != nil {
		first.asked = before.asked
	}
	r.listeners[listener] = first
	if !first.periodic() {
		r.withdraw(listener)
	}
}

// by returns what a policy goes on from: the one for the same namespaces, or for
// some others with the same rhythm, or any.
func (l *resyncing) by(policy ResyncPolicy) *resyncing {
	var alike *resyncing
	for other := l; other != nil; other = other.more {
		if other.policy.sameNamespaces(policy) {
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
