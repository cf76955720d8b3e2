package informer

import (
	"cmp"
	"time"
)

// ListMode is how whole lists are read.
type ListMode uint8

const (
	_ ListMode = iota
	// StreamFirst asks for a streaming list, and falls back to pages where the
	// server does not bring one to its end.
	StreamFirst
	// PagesOnly lists in pages.
	PagesOnly
)

// Settings are the numbers behind a Reflector's decisions. Zero fields
// have no opinion; [DefaultReflectorSettings] is what they end up as.
type Settings struct {
	Lists ListMode
	// PageSize is how many objects to ask for at a time, in every list. Zero asks
	// for 500 where the answer comes from the server's database, and for all at
	// once where it can come from the server's memory.
	PageSize int64
	// WatchTimeout is how long a watch lasts at least before the server ends it; a
	// random time up to twice as long is asked for, so that watches which began
	// together do not end together.
	WatchTimeout time.Duration
	// StreamDeadline is how long a streaming list may take, and StreamSilence how
	// long it may bring nothing, before it is given up for a list in pages.
	StreamDeadline time.Duration
	StreamSilence  time.Duration
	// StreamRest is how long no streaming list is tried after one was given up.
	StreamRest time.Duration
	// PageTimeout is how long one page of a list may take. The server has its own,
	// shorter limit; this one frees the turn to list from a connection that hangs.
	PageTimeout time.Duration
	// StallAfter is how long a watch may be silent before it is opened again, once the
	// server has sent a bookmark: these come about once a minute. If the watch has
	// brought nothing at all the server is asked for its version first. Less than 2½
	// minutes count as that; negative is for ever.
	StallAfter time.Duration
	// HealthyAfter is how old a list must be for the next to follow at once when
	// its version expires: then expiry is an accident, and not what always happens.
	// A watch that lasts as long ends the row of failures before it.
	HealthyAfter time.Duration
	// InternalErrorRetry is for how long a watch that ends with an internal error
	// of the server is opened again at once. Zero treats it as any other error.
	InternalErrorRetry time.Duration
	Backoff            Backoff
}

// DefaultSettings are used where nothing else is said.
var DefaultSettings = Settings{
	Lists:          StreamFirst,
	WatchTimeout:   5 * time.Minute,
	StreamDeadline: 5 * time.Minute,
	StreamSilence:  30 * time.Second,
	StreamRest:     10 * time.Minute,
	PageTimeout:    5 * time.Minute,
	StallAfter:     150 * time.Second,
	HealthyAfter:   10 * time.Second,
	Backoff:        DefaultBackoff,
}

// Or fills the gaps of s from fallback.
func (s Settings) Or(fallback Settings) Settings {
	s.Lists = cmp.Or(s.Lists, fallback.Lists)
	s.PageSize = cmp.Or(s.PageSize, fallback.PageSize)
	s.WatchTimeout = cmp.Or(s.WatchTimeout, fallback.WatchTimeout)
	s.StreamDeadline = cmp.Or(s.StreamDeadline, fallback.StreamDeadline)
	s.StreamSilence = cmp.Or(s.StreamSilence, fallback.StreamSilence)
	s.StreamRest = cmp.Or(s.StreamRest, fallback.StreamRest)
	s.PageTimeout = cmp.Or(s.PageTimeout, fallback.PageTimeout)
	s.StallAfter = cmp.Or(s.StallAfter, fallback.StallAfter)
	s.HealthyAfter = cmp.Or(s.HealthyAfter, fallback.HealthyAfter)
	s.InternalErrorRetry = cmp.Or(s.InternalErrorRetry, fallback.InternalErrorRetry)
	s.Backoff = s.Backoff.Or(fallback.Backoff)
	return s
}

// Backoff says how long to wait between attempts that fail. Zero fields have no
// opinion; [DefaultBackoff] is what they end up as.
type Backoff struct {
	Initial time.Duration // before the second attempt
	Max     time.Duration // where growing ends, before jitter
	Factor  float64       // how much longer each wait is than the one before
	// Jitter spreads clients that failed together: a wait of d takes between d
	// and d×(1+Jitter). Negative is none.
	Jitter float64
	// Reset is how long nothing may have failed for the next failure to count as
	// the first again.
	Reset time.Duration
}

// DefaultBackoff waits from 0.8 to 30 seconds, each up to doubled by jitter:
// a client loses little by a short outage, and a thousand of them do not keep an
// API server down that tries to come up.
var DefaultBackoff = Backoff{
	Initial: 800 * time.Millisecond,
	Max:     30 * time.Second,
	Factor:  2,
	Jitter:  1,
	Reset:   2 * time.Minute,
}

// Or fills the gaps of b from fallback.
func (b Backoff) Or(fallback Backoff) Backoff {
	b.Initial = cmp.Or(b.Initial, fallback.Initial)
	b.Max = cmp.Or(b.Max, fallback.Max)
	b.Factor = cmp.Or(b.Factor, fallback.Factor)
	b.Jitter = cmp.Or(b.Jitter, fallback.Jitter)
	b.Reset = cmp.Or(b.Reset, fallback.Reset)
	return b
}
