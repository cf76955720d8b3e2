package informer

import (
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Mutation is an object of the store that was changed in place.
type Mutation struct {
	Key     delta.Key
	Version string   // its resource version when it was stored
	Paths   []string // the parts that changed, as Go fields, at most 20 of them: Spec.Replicas
}
