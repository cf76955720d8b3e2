package engine

import (
	"slices"

	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// allPoliciesLocked returns what a subscriber's own policy and everybody else's come down to. A subscriber that has
// set anything about resyncs has asked for them.
func (i *Informer[T]) allPoliciesLocked(s *Subscription[T]) []resync.Policy {
	own, everyone := s.resync, i.override
	if own.Period == 0 {
		everyone.Period, everyone.AsUpdate = 0, false
	}
	said := timetable.Or(everyone, own)
	policies := i.policiesLocked(said)
	if said.Period == 0 && !timetable.Same(own, resync.Policy{}) {
		for n := range policies {
			policies[n].AsUpdate = said.AsUpdate
		}
	}
	return policies
}

// rearrangeResyncLocked is for scopes that have come or gone, or for other policies. All
// who are concerned change at once, so that those who were shown the same together still
// are.
func (i *Informer[T]) rearrangeResyncLocked() {
	changes := map[uint32][]resync.Policy{}
	for s := range i.subscriptions {
		if policies := i.allPoliciesLocked(s); !slices.EqualFunc(s.scheduled, policies, timetable.Same) {
			s.scheduled = policies
			changes[s.subscriber.number] = policies
		}
	}
	i.resync.change(changes)
}

// policiesLocked returns what own comes down to. Scopes that say the same share a policy, and there is one without a
// list of namespaces where all agree.
func (i *Informer[T]) policiesLocked(own resync.Policy) []resync.Policy {
	if own.Period != 0 {
		return []resync.Policy{own}
	}
	var policies []resync.Policy
	scopes := i.coverage.Load().scopes
	agreed := true
	for n, s := range scopes {
		policy := timetable.Or(own, s.resync)
		agreed = agreed && (n == 0 || timetable.SameBut(policy, timetable.Or(own, scopes[0].resync)))
		if policy.Period <= 0 {
			continue
		}
		if s.reach.namespace == "" {
			policy.Except = slices.Concat(policy.Except, s.reach.except)
			policies = append(policies, policy)
			continue
		}
		if !timetable.InNamespace(policy)(s.reach.namespace) {
			continue
		}
		policy.Namespaces, policy.Except = nil, nil
		at := slices.IndexFunc(policies, func(p resync.Policy) bool { return len(p.Namespaces) > 0 && timetable.SameBut(p, policy) })
		if at < 0 {
			at = len(policies)
			policies = append(policies, policy)
		}
		policies[at].Namespaces = append(slices.Clip(policies[at].Namespaces), s.reach.namespace)
	}
	if agreed && len(scopes) > 0 {
		return []resync.Policy{timetable.Or(own, scopes[0].resync)}
	}
	if len(policies) == 0 { // never; but what is shown on demand has a Rate
		own.Period = resync.Never
		return []resync.Policy{own}
	}
	return policies
}
