package builder

import (
	"reflect"
	"slices"
	"strings"

	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/managed"
)

// ours begins the path of each of our packages.
const ours = "github.com/delta-runtime/delta-runtime/"

// isForeign reports whether a raw source is not ours, so that it doesn't say what it shows and what it has missed.
func isForeign[R comparable](src ctrlsource.TypedSource[R]) bool {
	of := reflect.TypeOf(src)
	for of != nil && of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return of == nil || !strings.HasPrefix(of.PkgPath(), ours)
}

// countForeign has the ledger count what any kind of the cache has left out, if there is a source that is not ours: it may show
// objects of any of them.
func (p *plan[R]) countForeign() {
	if p.ledger != nil && slices.ContainsFunc(p.raw, isForeign[R]) {
		p.ledger.Clerk().Gaps((&cacheGaps{of: p.shared}).count)
	}
}

// cacheGaps counts the gaps of all kinds that a cache has.
type cacheGaps struct {
	of *managed.Runtime

	mu   lock.Mutex[lock.CacheGaps] // guards everything below
	last uint64                     // the sum when it was last looked at
	gone uint64                     // of kinds that have been removed since
}

// count never goes back. A kind that goes is a gap itself.
func (g *cacheGaps) count() (sum uint64) {
	if c := g.of.Cache(); c != nil {
		for _, k := range c.Kinds() {
			sum += k.Informer.Gaps()
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if sum < g.last {
		g.gone += g.last - sum + 1
	}
	g.last = sum
	return g.gone + sum
}
