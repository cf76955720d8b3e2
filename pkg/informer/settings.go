package informer

import (
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/resync"
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

// Settings say how to list and watch. A zero field has no opinion: a wider setting applies, and
// then the default that is named here.
type Settings struct {
	// Lists says how whole lists are read. The default is [StreamFirst].
	Lists ListMode
	// PageSize is how many objects to ask for at a time, in every list. The default is 500 if
	// the answer comes from the server's database, and all at once if it can come from the
	// server's memory.
	PageSize int64
	// WatchTimeout is the shortest time after which the server ends a watch. The default is 5
	// minutes. A random time up to twice as long is asked for, so that watches which began
	// together do not end together.
	WatchTimeout time.Duration
	// StreamDeadline is how long a streaming list may take, by default 5 minutes.
	// StreamSilence is how long it may bring nothing, by default 30 seconds. After that the
	// list is read in pages.
	StreamDeadline time.Duration
	StreamSilence  time.Duration
	// StreamRest is how long lists are read in pages after a streaming list has failed. The
	// default is 10 minutes.
	StreamRest time.Duration
	// PageTimeout is how long one page of a list may take. The default is 5 minutes. The
	// server has a shorter limit of its own. This one frees the turn to list from a
	// connection that hangs.
	PageTimeout time.Duration
	// StallAfter is how long a watch may be silent before it is opened again, once the
	// server has sent a bookmark. Bookmarks come about once a minute. If the watch has
	// brought nothing at all, the server is asked for its version first. The default is 2½
	// minutes, and less counts as that. Negative is for ever.
	StallAfter time.Duration
	// HealthyAfter is how old a list must be so that the next one follows at once when its
	// version expires. The default is 10 seconds. A watch that lasts as long ends the row of
	// failures before it.
	HealthyAfter time.Duration
	// InternalErrorRetry is for how long a watch that ends with an internal error of the
	// server is opened again at once. By default such an error is treated as any other.
	InternalErrorRetry time.Duration
	Backoff            Backoff
}

// Backoff says how long to wait between attempts that fail. A zero field has no opinion.
type Backoff struct {
	Initial time.Duration // before the second attempt; by default 800 ms
	Max     time.Duration // where growing ends, before jitter; by default 30 s
	Factor  float64       // how much longer each wait is than the one before; by default 2
	// Jitter spreads clients that failed together: a wait of d takes between d
	// and d×(1+Jitter). The default is 1, and negative is none.
	Jitter float64
	// Reset is how long nothing may have failed for the next failure to count as the first
	// again. The default is 2 minutes.
	Reset time.Duration
}

// SubscribeOptions say how a subscriber wants to be told of changes. The zero value is ready:
// the subscriber is told of everything, and follows the scopes' resyncs.
type SubscribeOptions struct {
	// Name is what warnings and the status call the subscriber.
	Name string
	// HighWater is how many changes the subscriber may be behind before a warning is logged.
	// Each change is kept until the subscriber has been told of it, so one that stays behind
	// costs memory without bound. Zero means 4096.
	HighWater uint64
	// Stuck is how long one call of the subscriber may take before a warning is logged. Zero
	// means 30 seconds.
	Stuck time.Duration
	// Resync says when the subscriber is shown objects that did not change. If its Period is
	// zero, each scope's own policy applies. A scope without a policy is never resynced.
	Resync resync.Policy
}
