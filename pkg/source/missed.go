package source

// counts is what an informer counts of what it could not tell its subscribers.
type counts interface {
	// Gaps returns how many times the informer could not tell something.
	Gaps() uint64
	// Relists returns how many times the informer had to list again. It does not know what
	// was undone in between.
	Relists() uint64
}

// missed counts what an informer has not told one subscriber.
type missed struct {
	informer counts

	gapsBefore, relistsBefore uint64 // the informer's counts when the subscriber came
}

// missedBy counts from now on. It returns nil for an informer that does not count.
func missedBy(ours subscribable) *missed {
	c, ok := ours.(counts)
	if !ok {
		return nil
	}
	return &missed{informer: c, gapsBefore: c.Gaps(), relistsBefore: c.Relists()}
}

func (m *missed) gaps() uint64    { return m.informer.Gaps() - m.gapsBefore }
func (m *missed) relists() uint64 { return m.informer.Relists() - m.relistsBefore }
