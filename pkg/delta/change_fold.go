package delta

// aboutSame reports whether two changes are about the same object.
func aboutSame(c, other *Change) bool {
	return c.Key == other.Key && c.Kind == other.Kind
}

// fold takes a later change of the same object in, and reports whether it could: a run
// of updates and resyncs of one object becomes one change, from the first old state to
// the last new one. Beginnings and ends stay apart, since a reconciler checks
// something else then. A resync asks to look again, which any other change does, too.
func fold(c, next *Change) bool {
	switch {
	case c.once != nil && c.once == next.once:
		return true
	case c.Op == 0 && next.Op == 0 && c.Cause == next.Cause: // the latest speaks for all
		c.New = next.New
	case next.Op == Sync && c.Op != 0 && !ends(c) && sameObject(c.New, next.New):
		look(c, next)
	case c.Op == Sync && next.Op == Updated && sameObject(c.New, next.New):
		first, deltas := c.First, c.Deltas
		*c = *next
		c.First, c.Deltas = first, deltas+c.Deltas
		return true
	case c.Op == Updated && next.Op == Updated && sameObject(c.Old, next.New):
		follow(c, next)
	default:
		return false
	}
	c.Last, c.once = next.Last, next.once
	c.Deltas += next.Deltas
	return true
}

// look takes the state that a resync shows. It may be news where what led to it was no
// reason for this request.
func look(c, next *Change) {
	switch c.Op {
	case Sync:
		c.Old, c.New = next.Old, next.New
	case Updated:
		c.forgot = c.forgot || c.New.GetResourceVersion() != next.New.GetResourceVersion()
		c.New = next.New
	default: // what is checked of an object when it is born is checked on the newborn
	}
}

// follow takes the next state of an object that has changed again.
func follow(c, next *Change) {
	c.forgot = c.forgot || next.forgot
	c.Relisted = c.Relisted || next.Relisted
	c.New, c.Origin = next.New, next.Origin
}

// ends reports whether this is the end of an object, as far as anybody will hear of it.
func ends(c *Change) bool { return c.Op == Deleted || c.Op == OutOfScope }

// sameObject is false for an object and its namesake that took its place.
func sameObject(a, b Object) bool {
	x, y := a.GetUID(), b.GetUID()
	return x == y || x == "" || y == ""
}
