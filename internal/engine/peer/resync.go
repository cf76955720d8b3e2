package peer

import (
	"cmp"
	"fmt"
	"time"

	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// resyncPeriods decides how often handlers are resynced, by client-go's rules: not
// at all where the informer was made without a period, not more often than once a
// second, and, once the informer runs, not more often than was asked for before.
//
// Where a policy says when the informer is resynced, of these only the second is left.
type resyncPeriods struct {
	byDefault time.Duration
	check     time.Duration // the shortest period asked for
	byPolicy  func() bool   // nil is never
}

func newResyncPeriods(opts Shown) resyncPeriods {
	p := resyncPeriods{byDefault: opts.ResyncPeriod, check: opts.ResyncPeriod, byPolicy: opts.ByPolicy}
	for _, policy := range opts.Policies {
		if period := policy.Period; period > 0 && (p.check == 0 || period < p.check) {
			p.check = period
		}
	}
	return p
}

const shortestResync = time.Second

// warning is a line of the log; nothing is said if it has no message.
type warning struct {
	message string
	about   []any
}

func (w warning) tell(logger klog.Logger) {
	if w.message != "" {
		logger.Info(w.message, w.about...)
	}
}

// ByPeriod is the policy that client-go's period comes down to. It shows updates.
func ByPeriod(configured time.Duration) resync.Policy {
	switch {
	case configured < 0:
		return resync.Policy{Period: resync.Never}
	case configured == 0:
		return resync.Policy{}
	default:
		return resync.Policy{Period: max(configured, shortestResync), AsUpdate: true}
	}
}

// SetResync changes the policy of the informer. The handlers that asked for a period keep it.
func (s *SharedInformer) SetResync(policy resync.Policy) error {
	if err := s.core.SetScopeResync("", policy); err != nil {
		return fmt.Errorf("shared informer: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resync.byPolicy = func() bool { return true }
	return nil
}

// policy is that of a handler which asked for a period, or for none in particular:
// then the scopes' own are for it. The caller tells the handler's logger what is to be said.
func (p *resyncPeriods) policy(asked *time.Duration, started bool) (_ resync.Policy, w warning) {
	period, granted := p.byDefault, time.Duration(0)
	if asked != nil {
		period = *asked
	}
	switch {
	case period == 0:
	case asked != nil && p.byPolicy != nil && p.byPolicy():
		granted = max(period, shortestResync)
	case p.check == 0:
		w = warning{"This informer was made without resync; the handler's resync period has no effect", []any{"resyncPeriod", period}}
	default:
		granted = max(period, shortestResync)
		if started {
			granted = max(granted, p.check)
		}
		p.check = min(p.check, granted)
		if granted != period {
			w = warning{"The handler's resync period is too short", []any{"asked", period, "granted", granted}}
		}
	}
	if asked == nil {
		return resync.Policy{}, w
	}
	return resync.Policy{Period: cmp.Or(granted, resync.Never)}, w
}
