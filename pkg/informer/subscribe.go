package informer

import (
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

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
