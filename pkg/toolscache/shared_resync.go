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
	byPolicy  bool
}

func newResyncPeriods(config SharedInformerConfig) resyncPeriods {
	p := resyncPeriods{byDefault: config.ResyncPeriod, check: config.ResyncPeriod, byPolicy: config.Resync.Period != 0}
	for _, s := range config.Scopes {
		if period := cmp.Or(s.Resync.Period, s.ResyncPeriod); period > 0 && (p.check == 0 || period < p.check) {
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
	if configured <= 0 {
		return configured
	}
	return max(configured, shortestResync)
}

// byPeriod is the policy that client-go's period comes down to. It shows updates.
func byPeriod(configured time.Duration) resync.Policy {
	period := handlerPeriod(configured)
	return resync.Policy{Period: period, AsUpdate: period > 0}
}

// resync is what the informer says, in either way.
func (c *SharedInformerConfig) resync() resync.Policy {
	return c.Resync.Or(byPeriod(c.ResyncPeriod))
}

// resync is what the scope says, in either way.
func (s *SharedScope) resync() resync.Policy { return s.Resync.Or(byPeriod(s.ResyncPeriod)) }

// checkResync returns which policy makes no sense.
func (c *SharedInformerConfig) checkResync() error {
	if err := c.Resync.Check(); err != nil {
		return fmt.Errorf("Resync: %w", err)
	}
	for _, s := range c.Scopes {
		if err := s.Resync.Check(); err != nil {
			return fmt.Errorf("Resync of the scope of namespace %q: %w", s.Namespace, err)
		}
	}
	return nil
}

// SetResync changes the policy of a scope: that of this namespace, or that of all but
// some where it is empty. It takes the place of all that was configured for it. The
// handlers that asked for a period keep it, unless an override of the core's says otherwise;
// see [informer.Informer.OverrideResync].
func (s *SharedInformer) SetResync(namespace string, policy resync.Policy) error {
	if err := s.core.SetScopeResync(namespace, policy); err != nil {
		return fmt.Errorf("shared informer: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resync.byPolicy = true
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
	case p.byPolicy && asked != nil:
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
