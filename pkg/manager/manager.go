package manager

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"weak"

	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/delta-runtime/delta-runtime/internal/ledger/writes"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/internal/memory"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Option says something about how a manager is to be configured.
type Option func(*settings)

// settings is what Options say.
type settings struct {
	cache  cache.Options
	writes delta.OwnWrites
	memory *memory.Options
	gc     *int

	// made has the Runtimes of caches whose managers have no client yet, by *rest.Config. A manager gives its cache
	// and its client the same copy of the config, and makes that copy for itself. An entry stays if somebody makes
	// no client for a cache: it is small, and keeps nothing of the cache.
	made sync.Map
}

// WithCache sets what only our cache can do.
func WithCache(opts cache.Options) Option {
	return func(s *settings) { s.cache = opts }
}

// WithWrites sets where the manager's client notes what it has written: what [NewWrites] made,
// or [OwnWrites] of another client, to share it.
func WithWrites(shared delta.OwnWrites) Option {
	return func(s *settings) { s.writes = shared }
}

// NewWrites makes what remembers up to limit writes. Zero is what clients have by default:
// 16384, in about 4 MB.
func NewWrites(limit int) delta.OwnWrites { return writes.New(limit) }

// Configure has the manager that is made with these options use our cache, and a client
// that remembers its writes. It changes NewCache and NewClient, and has the filter of the metrics
// tell an inspector which requests it has let through. Set that filter before. Configure
// refuses to where somebody has chosen a cache or informers already; a client of the
// user's stays, and is wrapped as by [RecordWrites].
//
// Handlers are not called for objects that a relist shows as they were, so that an API
// server that starts again does not have everything reconciled. To have that, choose
// ShowUnchanged of [cache.KindOptions], for a kind or for all.
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
	if err := errors.Join(s.checkMemory(), s.checkGC()); err != nil {
		return err
	}
	if _, ours := s.writes.(*writes.Writes); !ours && s.writes != nil {
		return fmt.Errorf("configure manager: WithWrites has a %T, which notes nothing: give it what NewWrites made, or OwnWrites of a client", s.writes)
	}
	s.cache.Default.ShowUnchanged = cmp.Or(s.cache.Default.ShowUnchanged, new(false))
	opts.NewCache = s.newCache
	if opts.NewClient == nil {
		opts.NewClient = client.New
	}
	opts.NewClient = s.recorded(opts.NewClient)
	opts.Metrics.FilterProvider = marking(opts.Metrics.FilterProvider)
	s.setGC()
	return nil
}

// newCache is a cache.NewCacheFunc.
func (s *settings) newCache(config *rest.Config, opts crcache.Options) (crcache.Cache, error) {
	made, err := cache.NewWithOptions(config, opts, s.cache)
	if err != nil {
		return nil, fmt.Errorf("make the manager's cache: %w", err) // not made: a nil *Cache is not a nil Cache
	}
	of := managed.Of(made)
	if s.memory != nil {
		about := *s.memory
		about.Log = logf.Log.WithName("memory")
		of.Memory = memory.New(about)
	}
	if _, several := s.made.LoadOrStore(config, weak.Make(of)); several {
		s.made.Store(config, nil) // somebody's cache is over several of ours, and none of them is the manager's
	}
	return made, nil
}

// WithGC sets after how much the garbage collector runs, in percent of what lives in the heap, as GOGC does. If GOGC is set in the
// environment, it stands: who runs the program knows more than who wrote it.
//
// Go's own setting is 100. The heap of our cache is smaller than that of controller-runtime's, so with 100 it is collected
// more often. With 200 to 300 the process gives some of the memory back that it saves, and takes less CPU where much is read. Set
// GOMEMLIMIT, too, to nine tenths of the container's memory limit: the collector then works harder before the container is killed.
func WithGC(percent int) Option {
	return func(s *settings) { s.gc = &percent }
}

func (s *settings) checkGC() error {
	if s.gc != nil && *s.gc <= 0 {
		return fmt.Errorf("configure manager: WithGC has %d percent: it takes 1 or more, and 100 is what Go does without it", *s.gc)
	}
	return nil
}

// setGC changes the whole process, so it comes when nothing can fail any more.
func (s *settings) setGC() {
	if s.gc == nil {
		return
	}
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(*s.gc)
	}
}
