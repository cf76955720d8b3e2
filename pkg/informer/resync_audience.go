package informer

// takers returns who is resynced by a period, which says that they want to
// see objects that did not change.
func (r *resync) takers() *audience {
	to := &audience{}
	for _, number := range sortedKeys(r.listeners) {
		if r.listeners[number].policy.Period > 0 {
			to.members = append(to.members, number)
		}
	}
	return to
}
