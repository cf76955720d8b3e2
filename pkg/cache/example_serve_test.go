package cache

import (
	"context"

	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
)

// ServeExample is serve for examples outside of the package, which are written as a user
// writes them.
func ServeExample(ours Options, use func(context.Context, crcache.Cache) error) {
	serve(func(api *fakeAPI) (crcache.Cache, error) {
		return NewWithOptions(api.config(), crcache.Options{Mapper: fakeMapper()}, ours)
	}, use)
}
