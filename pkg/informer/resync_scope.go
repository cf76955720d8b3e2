package informer

import "slices"

// scheduleLocked puts a subscriber's resyncs into the timetable: by its own policy
// or, where that says nothing of a period, by those of the scopes.
func (i *Informer[T]) scheduleLocked(s *Subscription[T]) {
	s.scheduled = i.policiesLocked(s.resync)
	i.resync.set(s.listener.number, s.scheduled...)
}

// rearrangeResyncLocked is for scopes that have come or gone, or have another
// policy. All who are concerned change at once, so that those who were shown the
// same together still are.
func (i *Informer[T]) rearrangeResyncLocked() {
	changes := map[uint32][]ResyncPolicy{}
	for s := range i.subscriptions {
		if s.resync.Period != 0 {
			continue
		}
		if policies := i.policiesLocked(s.resync); !slices.EqualFunc(s.scheduled, policies, ResyncPolicy.Equal) {
			s.scheduled = policies
			changes[s.listener.number] = policies
		}
	}
	i.resync.change(changes)
}

// policiesLocked returns what own comes down to. Scopes that say the same share a
// policy, so that there are as many as there are different periods, and one without
// a list of namespaces where all agree.
func (i *Informer[T]) policiesLocked(own ResyncPolicy) []ResyncPolicy {
	if own.Period != 0 {
		return []ResyncPolicy{own}
	}
	var policies []ResyncPolicy
	scopes := i.coverage.Load().scopes
	agreed := true
	for n, s := range scopes {
		policy := own.Or(s.resync)
		agreed = agreed && (n == 0 || policy.sameBut(own.Or(scopes[0].resync)))
		if policy.Period <= 0 {
			continue
		}
		if s.reach.namespace == "" {
			policy.Except = slices.Concat(policy.Except, s.reach.except)
			policies = append(policies, policy)
			continue
		}
		if !policy.inNamespace()(s.reach.namespace) {
			continue
		}
		policy.Namespaces, policy.Except = nil, nil
		at := slices.IndexFunc(policies, func(p ResyncPolicy) bool { return len(p.Namespaces) > 0 && p.sameBut(policy) })
		if at < 0 {
			at = len(policies)
			policies = append(policies, policy)
		}
		policies[at].Namespaces = append(slices.Clip(policies[at].Namespaces), s.reach.namespace)
	}
	if agreed && len(scopes) > 0 {
		return []ResyncPolicy{own.Or(scopes[0].resync)}
	}
	if len(policies) == 0 { // never; but what is shown on demand has a lane
		own.Period = NeverResync
		return []ResyncPolicy{own}
	}
	return policies
}
