package peer

import (
	"fmt"
	"os"
	"strconv"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// detectMutations is whether client-go's switch for its mutation detector is on.
var detectMutations, _ = strconv.ParseBool(os.Getenv("KUBE_CACHE_MUTATION_DETECTOR"))

// OnMutation is what becomes of an object that was changed in the cache: a panic if client-go's
// environment variable KUBE_CACHE_MUTATION_DETECTOR is true. Else it is nil, and nobody looks.
func OnMutation(kind string) func(informer.Mutation) {
	if !detectMutations {
		return nil
	}
	return func(m informer.Mutation) {
		panic(fmt.Sprintf("%s %s was modified in the cache, where it is at version %s: %v", kind, m.Key, m.Version, m.Paths))
	}
}
