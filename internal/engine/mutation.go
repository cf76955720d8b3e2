package engine

import (
	"time"

	"github.com/delta-runtime/delta-runtime/internal/mutation"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
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

// newMutationDetector returns a detector that calls report for each object that it finds
// changed.
func newMutationDetector[T any](opts MutationOptions, version func(T) string, report func(informer.Mutation)) *mutation.Detector[T] {
	return mutation.New(mutation.Options(opts), version, func(key delta.Key, version string, paths []string) {
		report(informer.Mutation{Key: key, Version: version, Paths: paths})
	})
}
