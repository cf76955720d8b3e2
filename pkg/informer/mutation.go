package informer

import (
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// MutationOptions bounds what is done to find mutations.
type MutationOptions struct {
	// Objects is how many current objects are watched at most, and a quarter as
	// many that have been replaced. Zero means 10000.
	Objects int
	// Every is the time from one check to the next. Zero means a second.
	Every time.Duration
	// Batch is how many objects one check reads. Zero means 1000.
	Batch int
}

// Mutation is an object of the store that was changed in place.
type Mutation struct {
	Key     delta.Key
	Version string   // its resource version when it was stored
	Paths   []string // the parts that changed, as Go fields: Spec.Replicas
}
