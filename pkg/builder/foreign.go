package builder

import (
	"reflect"
	"slices"
	"strings"

	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"
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
	if !slices.ContainsFunc(p.raw, isForeign[R]) {
		return
	}
	p.ledger.Clerk().Gaps(func() uint64 {
		if c := p.shared.Cache(); c != nil {
			return c.Gaps()
		}
		return 0
	})
}
