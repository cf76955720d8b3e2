package builder

import (
	"reflect"
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

// Watch is the controller's. A source that is not ours may show objects of any kind of the cache, so the ledger then counts what any of
// them has left out.
func (c *recordedController[R]) Watch(src ctrlsource.TypedSource[R]) error {
	if isForeign(src) {
		c.foreign.Do(func() { c.ledger.Clerk().Count(c.count) })
	}
	return c.TypedController.Watch(src)
}

func (c *recordedController[R]) count() (gaps, relists uint64) {
	if of := c.shared.Cache(); of != nil {
		return of.Gaps(), 0
	}
	return 0, 0
}
