package manager

import (
	"errors"
	"fmt"

	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/delta-runtime/delta-runtime/pkg/cache"
)

// Options are those of a manager over our cache.
type Options struct {
	// Options are controller-runtime's. NewCache and Cache.NewInformer have to be
	// unset; all else is taken as it is, Cache's other fields by our cache.
	ctrlmanager.Options
	// DeltaCache is what only our cache can do. Its zero value behaves as
	// controller-runtime's does.
	DeltaCache cache.Options
}

// New makes a manager over our cache. The cache is what the manager's GetCache
// returns, a *cache.Cache of ours.
func New(config *rest.Config, opts Options) (ctrlmanager.Manager, error) {
	if err := Configure(&opts.Options, WithCache(opts.DeltaCache)); err != nil {
		return nil, err
	}
	return ctrlmanager.New(config, opts.Options)
}

// Option says something about how a manager is to be configured.
type Option func(*settings)

// settings is what Options say.
type settings struct{ cache cache.Options }

// WithCache sets what only our cache can do.
func WithCache(opts cache.Options) Option {
	return func(s *settings) { s.cache = opts }
}

// Configure has the manager that is made with these options use our cache. It
// changes NewCache and nothing else, and refuses to where somebody has chosen a cache
// or informers already.
func Configure(opts *ctrlmanager.Options, with ...Option) error {
	switch {
	case opts == nil:
		return errors.New("configure manager: the options are nil")
	case opts.NewCache != nil:
		return errors.New("configure manager: NewCache is set already, and a manager has one cache: leave out that field, or this call")
	case opts.Cache.NewInformer != nil:
		return errors.New("configure manager: Cache.NewInformer is set, but our cache makes its own informers: leave out that field, or this call")
	}
	var s settings
	for i, set := range with {
		if set == nil {
			return fmt.Errorf("configure manager: option %d is nil", i)
		}
		set(&s)
	}
	opts.NewCache = s.newCache
	return nil
}

// newCache is a cache.NewCacheFunc.
func (s *settings) newCache(config *rest.Config, opts crcache.Options) (crcache.Cache, error) {
	made, err := cache.NewWith(config, opts, s.cache)
	if err != nil {
		return nil, fmt.Errorf("make the manager's cache: %w", err) // not made: a nil *Cache is no nil Cache
	}
	return made, nil
}
