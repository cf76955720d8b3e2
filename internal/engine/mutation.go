package engine

import (
	"github.com/delta-runtime/delta-runtime/internal/mutation"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// newMutationDetector returns a detector that calls report for each object that it finds
// changed.
func newMutationDetector[T any](opts informer.MutationOptions, version func(T) string, report func(informer.Mutation)) *mutation.Detector[T] {
	return mutation.New(mutation.Options(opts), version, func(key delta.Key, version string, paths []string) {
		report(informer.Mutation{Key: key, Version: version, Paths: paths})
	})
}
