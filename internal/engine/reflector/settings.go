package reflector

import (
	"cmp"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// minStallAfter leaves two bookmarks in a row the time to get lost.
const minStallAfter = 150 * time.Second

// DefaultSettings are what settings end up as that say nothing. By the back-off a thousand clients do not keep an API
// server down that tries to come up.
var DefaultSettings = informer.Settings{
	Lists:          informer.StreamFirst,
	WatchTimeout:   5 * time.Minute,
	StreamDeadline: 5 * time.Minute,
	StreamSilence:  30 * time.Second,
	StreamRest:     10 * time.Minute,
	PageTimeout:    5 * time.Minute,
	StallAfter:     minStallAfter,
	HealthyAfter:   10 * time.Second,
	Backoff: informer.Backoff{
		Initial: 800 * time.Millisecond,
		Max:     30 * time.Second,
		Factor:  2,
		Jitter:  1,
		Reset:   2 * time.Minute,
	},
}

// Fill returns settings whose gaps are filled from others.
func Fill(s, from informer.Settings) informer.Settings {
	s.Lists = cmp.Or(s.Lists, from.Lists)
	s.PageSize = cmp.Or(s.PageSize, from.PageSize)
	s.WatchTimeout = cmp.Or(s.WatchTimeout, from.WatchTimeout)
	s.StreamDeadline = cmp.Or(s.StreamDeadline, from.StreamDeadline)
	s.StreamSilence = cmp.Or(s.StreamSilence, from.StreamSilence)
	s.StreamRest = cmp.Or(s.StreamRest, from.StreamRest)
	s.PageTimeout = cmp.Or(s.PageTimeout, from.PageTimeout)
	s.StallAfter = cmp.Or(s.StallAfter, from.StallAfter)
	s.HealthyAfter = cmp.Or(s.HealthyAfter, from.HealthyAfter)
	s.InternalErrorRetry = cmp.Or(s.InternalErrorRetry, from.InternalErrorRetry)
	b, other := &s.Backoff, from.Backoff
	b.Initial = cmp.Or(b.Initial, other.Initial)
	b.Max = cmp.Or(b.Max, other.Max)
	b.Factor = cmp.Or(b.Factor, other.Factor)
	b.Jitter = cmp.Or(b.Jitter, other.Jitter)
	b.Reset = cmp.Or(b.Reset, other.Reset)
	return s
}
