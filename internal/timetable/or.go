package timetable

import (
	"cmp"

	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Or returns p with its gaps filled from fallback.
func Or(p, fallback resync.Policy) resync.Policy {
	if p.Period == 0 {
		p.AsUpdate = p.AsUpdate || fallback.AsUpdate
	}
	p.Period = cmp.Or(p.Period, fallback.Period)
	p.Jitter = cmp.Or(p.Jitter, fallback.Jitter)
	p.Spread = cmp.Or(p.Spread, fallback.Spread)
	p.Rate = cmp.Or(p.Rate, fallback.Rate)
	if p.Selector == nil {
		p.Selector = fallback.Selector
	}
	if len(p.Namespaces) == 0 && len(p.Except) == 0 {
		p.Namespaces, p.Except = fallback.Namespaces, fallback.Except
	}
	p.OnlyIfNotReconciledFor = cmp.Or(p.OnlyIfNotReconciledFor, fallback.OnlyIfNotReconciledFor)
	return p
}
