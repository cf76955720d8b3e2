package toolscache

import (
	"cmp"
	"time"

	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// resyncPeriods decides how often handlers are resynced, by client-go's rules: not
// at all where the informer was made without a period, not more often than once a
// second, and, once the informer runs, not more often than was asked for before.
type resyncPeriods struct {
	byDefault time.Duration
	check     time.Duration // the shortest period asked for
}

func newResyncPeriods(config SharedInformerConfig) resyncPeriods {
	p := resyncPeriods{byDefault: config.ResyncPeriod, check: config.ResyncPeriod}
	for _, s := range config.Scopes {
		if s.ResyncPeriod > 0 && (p.check == 0 || s.ResyncPeriod < p.check) {
			p.check = s.ResyncPeriod
		}
	}
	return p
}

const shortestResync = time.Second

// policy is that of a handler which asked for a period, or for none in particular:
// then the scopes' own are for it.
func (p *resyncPeriods) policy(logger klog.Logger, asked *time.Duration, started bool) informer.ResyncPolicy {
	granted := p.add(logger, asked, started)
	if asked == nil {
		return informer.ResyncPolicy{}
	}
	return informer.ResyncPolicy{Period: cmp.Or(granted, informer.NeverResync)}
}

// handlerPeriod is the period of a handler that asked for none in particular.
func handlerPeriod(configured time.Duration) time.Duration {
	if configured <= 0 {
		return configured
	}
	return max(configured, shortestResync)
}

func (p *resyncPeriods) add(logger klog.Logger, asked *time.Duration, started bool) time.Duration {
	period := p.byDefault
	if asked != nil {
		period = *asked
	}
	switch {
	case period == 0:
		return 0
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
