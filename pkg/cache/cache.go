package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
)

// Cache keeps the kinds that somebody asks for in step with the API, and answers
// reads from memory. It is controller-runtime's cache.Cache and has more to say;
// the zero value can't be used, see [New] and [NewWithOptions].
type Cache struct {
	scheme       *runtime.Scheme
	api          *api
	plan         atomic.Pointer[plan] // replaced under scoping
	ours         Options
	failMissing  bool // reads of a kind that has no informer fail
	onWatchError crtools.WatchErrorHandlerWithContext
	server       server
	limiter      *reflector.Limiter
	line         *reflector.Line
	runtime      *managed.Runtime
	journal      atomic.Pointer[journal.Journal] // nil unless somebody looks
	gvks         sync.Map                        // reflect.Type of an object or list to its GVK

	started chan struct{}   // closed when Start begins
	ended   chan struct{}   // closed when the run ends
	ending  <-chan struct{} // that of the context of the run; set before started is closed

	gaps atomic.Uint64 // of all kinds; a kind that is removed is one, too

	// kinds is read without a lock. The map is never changed, but replaced under mu.
	kinds atomic.Pointer[map[kindID]*kind] // Invariant: never nil.

	scoping lock.Mutex[lock.CacheScopes] // held to add or remove a namespace, but not while the server is asked

	mu      lock.Mutex[lock.CacheKinds] // guards everything below, and writing kinds; never held while calling out or waiting
	phase   phase                       // Invariant: it only goes up.
	claimed chan struct{}               // closed and replaced when kinds gets one more
	unmade  map[kindID]unmade           // kinds that could not be made, and have not been made since
	group   *lifecycle.Group            // Invariant: nil until phase is running, and then never again.
}

type phase uint8

const (
	configured phase = iota
	running
	stopped
)

var _ crcache.Cache = &Cache{}

// New is controller-runtime's cache.New over our parts: give it to a manager as
// NewCache. Where Options.NewInformer is set it returns controller-runtime's own cache
// over those informers, and says so in the log: they may be there for what our informers
// could not do, such as to read from somewhere else. [NewWithOptions] refuses them.
func New(config *rest.Config, opts crcache.Options) (crcache.Cache, error) {
	return newLogged(config, opts, logf.Log.WithName("cache"))
}

func newLogged(config *rest.Config, opts crcache.Options, log logr.Logger) (crcache.Cache, error) {
	if opts.NewInformer != nil {
		log.Info("Options.NewInformer is set, so this is controller-runtime's cache over those informers and not delta-runtime's: " +
			"what that adds is not there; leave NewInformer out to have it")
		return crcache.New(config, opts)
	}
	c, err := NewWithOptions(config, opts, Options{Log: log})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// NewWithOptions is [New] with what only we have.
func NewWithOptions(config *rest.Config, opts crcache.Options, ours Options) (*Cache, error) {
	if config == nil {
		return nil, errors.New("cache options: the rest.Config is nil")
	}
	if opts.NewInformer != nil {
		return nil, errors.New("cache options: NewInformer is set, but what only our cache can do needs our informers; leave it out, or use New")
	}
	if err := ours.check(); err != nil {
		return nil, err
	}
	from := server{config.Host, weak.Make(opts.HTTPClient)}
	opts, err := withDefaults(config, opts)
	if err != nil {
		return nil, err
	}
	if ours.Log.GetSink() == nil {
		ours.Log = logf.Log.WithName("cache")
	}
	plan, err := newPlan(opts, ours)
	if err != nil {
		return nil, err
	}
	c := &Cache{
		scheme:       opts.Scheme,
		api:          &api{config, opts.HTTPClient, opts.Mapper, serializer.NewCodecFactory(opts.Scheme)},
		ours:         ours,
		failMissing:  opts.ReaderFailOnMissingInformer,
		onWatchError: opts.DefaultWatchErrorHandler,
		server:       from,
		limiter:      reflector.NewLimiter(cmp.Or(ours.ListsAtOnce, 10)),
		line:         &reflector.Line{},
		runtime:      managed.New(),
		started:      make(chan struct{}),
		ended:        make(chan struct{}),
		claimed:      make(chan struct{}),
		unmade:       map[kindID]unmade{},
	}
	c.plan.Store(plan)
	c.kinds.Store(&map[kindID]*kind{})
	return c, nil
}

// withDefaults fills in what a cache cannot do without.
func withDefaults(config *rest.Config, opts crcache.Options) (crcache.Options, error) {
	config = rest.CopyConfig(config)
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	var err error
	if opts.HTTPClient == nil {
		if opts.HTTPClient, err = rest.HTTPClientFor(config); err != nil {
			return opts, fmt.Errorf("cache options: make the HTTP client that is missing from the options: %w", err)
		}
	}
	if opts.Scheme == nil {
		opts.Scheme = scheme.Scheme
	}
	if opts.Mapper == nil {
		if opts.Mapper, err = apiutil.NewDynamicRESTMapper(config, opts.HTTPClient); err != nil {
			return opts, fmt.Errorf("cache options: make the RESTMapper that is missing from the options: %w", err)
		}
	}
	return opts, nil
}

// NeedLeaderElection tells a manager to start the cache before it is the leader.
func (c *Cache) NeedLeaderElection() bool { return false }

// Start keeps the kinds in step, those that are asked for and those that will be,
// until ctx ends. When it returns, nothing of the cache runs any more. A panic of a
// handler is raised again here.
func (c *Cache) Start(ctx context.Context) error {
	group := lifecycle.New(ctx)
	defer group.Stop()
	if err := c.begin(ctx, group); err != nil {
		return err
	}
	defer c.end()
	defer c.observe()()
	defer c.finishMemory(context.WithoutCancel(ctx))
	if m := c.memory(); m != nil {
		group.Guest("save the memory", m.Run)
	}
	if err := c.feelPulse(group); err != nil {
		return err
	}
	return group.Wait()
}

// end says that nothing runs any more, and that nothing will.
func (c *Cache) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.phase = stopped
	close(c.ended)
}

func (c *Cache) begin(ctx context.Context, group *lifecycle.Group) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase != configured {
		return errors.New("start the cache: informer already started") // the words that people look for
	}
	c.phase, c.group, c.ending = running, group, ctx.Done()
	for _, k := range *c.kinds.Load() {
		if k.waiting {
			c.runLocked(k)
		}
	}
	close(c.started)
	return nil
}

// GetInformer returns the informer for obj's kind in obj's form. It is also a
// client-go SharedIndexInformer. While the cache runs it waits until the informer
// is synced, if not told otherwise.
func (c *Cache) GetInformer(ctx context.Context, obj client.Object, opts ...crcache.InformerGetOption) (crcache.Informer, error) {
	id, err := c.idOf(obj)
	if err != nil {
		return nil, err
	}
	return c.getInformer(ctx, id, opts)
}

// GetInformerForKind is [Cache.GetInformer] for the Go type of a GVK.
func (c *Cache) GetInformerForKind(ctx context.Context, gvk schema.GroupVersionKind, opts ...crcache.InformerGetOption) (crcache.Informer, error) {
	obj, err := c.scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	return c.getInformer(ctx, kindID{gvk: gvk, form: formOf(obj)}, opts)
}

func (c *Cache) getInformer(ctx context.Context, id kindID, opts []crcache.InformerGetOption) (crcache.Informer, error) {
	var options crcache.InformerGetOptions
	for _, opt := range opts {
		opt(&options)
	}
	find := c.kind
	if observe.IsForSuccessor(ctx) {
		find = c.successor
	}
	k, err := find(ctx, id)
	if err != nil {
		return nil, c.timedOut(ctx, id, err)
	}
	if options.BlockUntilSynced == nil || *options.BlockUntilSynced {
		if err := c.awaitKind(ctx, k); err != nil {
			return nil, err
		}
	}
	return k.shown, nil
}

// RemoveInformer stops the informer for obj's kind in obj's form and forgets what
// it had. A caller that asks again gets a new one. Sources hear nothing of the kind until
// somebody does, and then go on with that one.
func (c *Cache) RemoveInformer(_ context.Context, obj client.Object) error {
	id, err := c.idOf(obj)
	if err != nil {
		return err
	}
	if k := (*c.kinds.Load())[id]; k != nil {
		c.remove(k)
	}
	return nil
}

// IndexField adds an index of obj's kind in obj's form, before or after Start, so
// that List can be asked for its field.
func (c *Cache) IndexField(ctx context.Context, obj client.Object, field string, extract client.IndexerFunc) error {
	if extract == nil {
		return fmt.Errorf("index field %q of %T: the function that extracts its values is nil", field, obj)
	}
	i, err := c.GetInformer(ctx, obj, crcache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	return i.AddIndexers(crtools.Indexers{fieldIndexName(field): fieldIndex(extract)})
}

// Get reads one object. See [client.Reader].
func (c *Cache) Get(ctx context.Context, key client.ObjectKey, out client.Object, opts ...client.GetOption) error {
	id, err := c.idOf(out)
	if err != nil {
		return err
	}
	k, err := c.readable(ctx, id)
	if err != nil {
		return err
	}
	return k.reader.Load().Get(ctx, key, out, opts...)
}

// List reads the objects of a kind, in no order. See [client.Reader]. A list with a Limit can't be continued.
func (c *Cache) List(ctx context.Context, out client.ObjectList, opts ...client.ListOption) error {
	id, err := c.idOf(out)
	if err != nil {
		return err
	}
	id.gvk.Kind = strings.TrimSuffix(id.gvk.Kind, "List") // that of the items
	k, err := c.readable(ctx, id)
	if err != nil {
		return err
	}
	return k.reader.Load().List(ctx, out, opts...)
}

// readable returns a kind that can be read, or says why it can't.
func (c *Cache) readable(ctx context.Context, id kindID) (*kind, error) {
	k := (*c.kinds.Load())[id]
	if k == nil && c.failMissing {
		return nil, &crcache.ErrResourceNotCached{GVK: id.gvk}
	}
	var err error
	if k == nil {
		k, err = c.kind(ctx, id)
		err = c.timedOut(ctx, id, err)
	}
	if err == nil {
		err = c.awaitKind(ctx, k)
	}
	// While the cache does not run, it does not matter that ctx ended.
	if !c.isStarted() && (err == nil || ctx.Err() != nil && apierrors.IsTimeout(err)) {
		return nil, &crcache.ErrCacheNotStarted{}
	}
	return k, err
}

// awaitKind waits until the kind is there, if the cache runs.
func (c *Cache) awaitKind(ctx context.Context, k *kind) error {
	if !c.isStarted() {
		if err := k.made(ctx); err != nil || !c.isStarted() { // it may have started meanwhile
			return c.timedOut(ctx, k.id, err)
		}
	}
	return c.timedOut(ctx, k.id, k.await(ctx, c.ended))
}

func (c *Cache) isStarted() bool {
	select {
	case <-c.started:
		return true
	default:
		return false
	}
}
