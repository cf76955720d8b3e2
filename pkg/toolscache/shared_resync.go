package toolscache

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

func newResyncPeriods(opts ShowOptions) resyncPeriods {
	p := resyncPeriods{byDefault: opts.ResyncPeriod, check: opts.ResyncPeriod, byPolicy: opts.ByPolicy}
	for _, policy := range opts.Policies {
		if period := policy.Period; period > 0 && (p.check == 0 || period < p.check) {
			p.check = period
		}
	}
	return p
}

const shortestResync = time.Second

// policy is that of a handler which asked for a period, or for none in particular:
// then the scopes' own are for it.
func (p *resyncPeriods) policy(logger klog.Logger, asked *time.Duration, started bool) resync.Policy {
	granted := p.add(logger, asked, started)
	if asked == nil {
		return resync.Policy{}
	}
	return resync.Policy{Period: cmp.Or(granted, resync.Never)}
}

// handlerPeriod is the period of a handler that asked for none in particular.
func handlerPeriod(configured time.Duration) time.Duration {
	switch {
	case configured < 0:
		return resync.Never
	case configured == 0:
		return 0
	default:
		return max(configured, shortestResync)
	}
}

// byPeriod is the policy that client-go's period comes down to. It shows updates.
func byPeriod(configured time.Duration) resync.Policy {
	period := handlerPeriod(configured)
	return resync.Policy{Period: period, AsUpdate: period > 0}
}

// SetResync changes the policy of the informer. The handlers that asked for a period keep it.
func (s *sharedInformer) SetResync(policy resync.Policy) error {
	if err := s.core.SetScopeResync("", policy); err != nil {
		return fmt.Errorf("shared informer: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resync.byPolicy = func() bool { return true }
	return nil
}

func (p *resyncPeriods) add(logger klog.Logger, asked *time.Duration, started bool) time.Duration {
	period := p.byDefault
	if asked != nil {
		period = *asked
	}
	switch {
	case period == 0:
		return 0
	case asked != nil && p.byPolicy != nil && p.byPolicy():
		return max(period, shortestResync)
	case p.check == 0:
		logger.Info("This informer was made without resync; the handler's resync period has no effect", "resyncPeriod", period)
		return 0
	}
	granted := max(period, shortestResync)
	if started {
		granted = max(granted, p.check)
	}
	p.check = min(p.check, granted)
	if granted != period {
		logger.Info("The handler's resync period is too short", "asked", period, "granted", granted)
	}
	return granted
}
