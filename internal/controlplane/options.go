package controlplane

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Options says how a Plane differs from the usual one: an API server with RBAC,
// its watch cache, and the feature gates that its release has on.
type Options struct {
	// FeatureGates switches gates of the API server, such as ShardedListAndWatch.
	FeatureGates map[string]bool
	// APIServerFlags are added to the API server's command line, "--name=value"
	// each. They come last, so that they win over ours.
	APIServerFlags []string
}

// flags returns what o adds to the API server's command line.
func (o Options) flags() []string {
	if len(o.FeatureGates) == 0 {
		return o.APIServerFlags
	}
	var gates []string
	for _, name := range slices.Sorted(maps.Keys(o.FeatureGates)) {
		gates = append(gates, fmt.Sprintf("%s=%t", name, o.FeatureGates[name]))
	}
	return slices.Concat([]string{"--feature-gates=" + strings.Join(gates, ",")}, o.APIServerFlags)
}
