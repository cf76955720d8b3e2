package resync

import (
	"fmt"
	"math"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"
)

// Policy says when a subscriber is shown objects again that have not changed.
// The zero value has no opinion: filled up by nothing else it means never.
type Policy struct {
	// Period is the time from one resync to the next. [Never] switches it
	// off; zero has no opinion. Less than 100 ms counts as 100 ms.
	Period time.Duration
	// Jitter makes each period longer or shorter by up to this fraction of it, so
	// that many processes started together drift apart. 0.1 means ±10 %. It makes none
	// shorter than 100 ms.
	Jitter float64
	// Spread says when in the period each object's turn is.
	Spread Spread
	// Rate is how many objects a second are shown at most. Zero means no limit.
	Rate float64
	// Selector chooses the objects by their labels. Nil chooses all.
	Selector labels.Selector
	// Namespaces chooses the objects, too: those in one of these. If there are none, all
	// namespaces except those in Except are chosen. A subscriber may have a policy for some
	// namespaces and another one for others.
	Namespaces []string
	Except     []string
	// OnlyIfNotReconciledFor leaves out objects that somebody has taken care of
	// more recently than this. Zero leaves out none. The informer does not know: it
	// hands the rule on in the Sync, to the one that does; see [delta.ResyncTerms].
	OnlyIfNotReconciledFor time.Duration
	// AsUpdate has event handlers see the resync as an update in which nothing changed, so
	// that predicates of updates hold it back. controller-runtime's SyncPeriod is so. Other
	// resyncs reach the reconciler whatever predicates say of updates. It belongs to the
	// Period: it is taken from where that is, and does not hold on demand.
	AsUpdate bool
}

// Never is the Period of a subscriber that is not to be resynced, whatever
// a fallback says. It can still be asked for on demand.
const Never time.Duration = -1

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

// Check returns what makes no sense in the policy, by the name of the field.
func (p Policy) Check() error {
	switch {
	case p.Period < 0 && p.Period != Never:
		return fmt.Errorf("the Period is negative: %s", p.Period)
	case !(p.Jitter >= 0 && p.Jitter <= 1): // nor is it no number
		return fmt.Errorf("the Jitter is %v, which is not a fraction between 0 and 1", p.Jitter)
	case p.Spread > OverPeriod:
		return fmt.Errorf("the Spread is %d, which means nothing", p.Spread)
	case !(p.Rate >= 0 && p.Rate <= math.MaxFloat64):
		return fmt.Errorf("the Rate is %v, which is not a number of objects a second", p.Rate)
	case p.OnlyIfNotReconciledFor < 0:
		return fmt.Errorf("the OnlyIfNotReconciledFor is negative: %s", p.OnlyIfNotReconciledFor)
	}
	for _, namespace := range p.Namespaces {
		if slices.Contains(p.Except, namespace) {
			return fmt.Errorf("both Namespaces and Except have %q", namespace)
		}
	}
	return nil
}

// Status is how far the resyncs of all subscribers are.
type Status struct {
	// Next is when the next begins; zero is never.
	Next time.Time `json:",omitzero"`
	// Runs is how many have begun and not ended, and Left how many objects they have
	// yet to show. Subscribers that are shown the same together share a run.
	Runs, Left int
	// Shown is how many objects have been shown since the informer was made. Subscribers that
	// are shown the same together count once.
	Shown uint64
	// Waiting is how many are wanted on demand and have not begun, because others
	// have not ended.
	Waiting int
	// Skipped is how many have not begun, and will not, because two earlier ones of
	// the same subscriber had not ended.
	Skipped uint64
}
