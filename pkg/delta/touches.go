package delta

// Diff is what changed from Old to New. Of an object that came or went it is the whole
// object; of a resync, nothing.
func (c Change) Diff() *Diff {
	var schemas Schemas
	if c.facts != nil {
		schemas = c.facts.Schemas
	}
	if ends(&c) {
		return NewDiff(c.Object(), nil, schemas)
	}
	return NewDiff(c.Old, c.New, schemas)
}

// Touches reports whether a change touches one of the paths; see [Diff.Touches]. It is
// false only where that is ruled out: it is true where the changes are not complete, at
// a retry, and where a source has no object to show.
func (c Changes) Touches(paths ...string) bool {
	if !c.complete {
		return true
	}
	for i := range c.list {
		change := &c.list[i]
		switch {
		case change.Cause == Timer:
		case change.Op == 0 || change.Diff().Touches(paths...):
			return true
		}
	}
	return false
}
