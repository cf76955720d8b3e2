package sim

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// saboteur is client-go's informer with one fault. The scripts have to find each fault.
type saboteur struct {
	cache.SharedIndexInformer
	handler      func(cache.ResourceEventHandler) cache.ResourceEventHandler
	synced       bool // says that it has synced from the start
	disconnected bool // does not remove handlers
	version      bool // returns no resource version
}

func (s *saboteur) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, resync time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	if s.handler != nil {
		h = s.handler(h)
	}
	return s.SharedIndexInformer.AddEventHandlerWithResyncPeriod(h, resync)
}

func (s *saboteur) RemoveEventHandler(handle cache.ResourceEventHandlerRegistration) error {
	if s.disconnected {
		return nil
	}
	return s.SharedIndexInformer.RemoveEventHandler(handle)
}

func (s *saboteur) HasSynced() bool { return s.synced || s.SharedIndexInformer.HasSynced() }

func (s *saboteur) HasSyncedChecker() cache.DoneChecker {
	if s.synced {
		return at0{}
	}
	return s.SharedIndexInformer.HasSyncedChecker()
}

func (s *saboteur) LastSyncResourceVersion() string {
	if s.version {
		return ""
	}
	return s.SharedIndexInformer.LastSyncResourceVersion()
}

// at0 is a check that is done from the start.
type at0 struct{}

func (at0) Name() string { return "at once" }

func (at0) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// meddler is a handler that falsifies some calls and passes on the others. It counts the
// calls, so that the damage is as rare as that of a real fault.
type meddler struct {
	cache.ResourceEventHandler
	onAdd    func(m *meddler, obj any, initial bool)
	onUpdate func(m *meddler, old, obj any)
	onDelete func(m *meddler, obj any)
	count    int
	held     func()
}

func (m *meddler) OnAdd(obj any, initial bool) {
	m.count++
	if m.onAdd != nil {
		m.onAdd(m, obj, initial)
		return
	}
	m.ResourceEventHandler.OnAdd(obj, initial)
}

func (m *meddler) OnUpdate(old, obj any) {
	m.count++
	if m.onUpdate != nil {
		m.onUpdate(m, old, obj)
		return
	}
	m.ResourceEventHandler.OnUpdate(old, obj)
}

func (m *meddler) OnDelete(obj any) {
	m.count++
	if m.onDelete != nil {
		m.onDelete(m, obj)
		return
	}
	m.ResourceEventHandler.OnDelete(obj)
}

func meddling(m meddler) constructor {
	return sabotaged(func(s *saboteur) {
		s.handler = func(h cache.ResourceEventHandler) cache.ResourceEventHandler {
			spoiled := m
			spoiled.ResourceEventHandler = h
			return &spoiled
		}
	})
}

func sabotaged(how func(*saboteur)) constructor {
	return func(lw cache.ListerWatcher, o runtime.Object, d time.Duration, i cache.Indexers) cache.SharedIndexInformer {
		s := &saboteur{SharedIndexInformer: incumbent(lw, o, d, i)}
		how(s)
		return s
	}
}

// lossy is a connection that loses some events.
type lossy struct {
	*server
	kind watch.EventType
}

func (l lossy) WatchWithContext(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	w, err := l.server.WatchWithContext(ctx, o)
	if err != nil {
		return nil, err
	}
	count := 0
	return watch.Filter(w, func(e watch.Event) (watch.Event, bool) {
		if e.Type == l.kind {
			count++
		}
		return e, e.Type != l.kind || count%5 != 0
	}), nil
}

func losing(kind watch.EventType) constructor {
	return func(lw cache.ListerWatcher, o runtime.Object, d time.Duration, i cache.Indexers) cache.SharedIndexInformer {
		if whole, ok := lw.(*server); ok {
			lw = lossy{whole, kind}
		}
		return incumbent(lw, o, d, i)
	}
}

// forgetful is an indexer that does not take objects out of an index.
type forgetful struct {
	cache.SharedIndexInformer
	indexer forgetfulIndexer
}

func (f forgetful) GetIndexer() cache.Indexer { return f.indexer }

type forgetfulIndexer struct {
	cache.Indexer
	mu   *sync.Mutex
	seen map[string]bool
}

func (f forgetfulIndexer) IndexKeys(name, value string) ([]string, error) {
	keys, err := f.Indexer.IndexKeys(name, value)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range f.ListKeys() {
		if f.seen[name+value+key] && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		f.seen[name+value+key] = true
	}
	return keys, err
}

func newForgetful(lw cache.ListerWatcher, o runtime.Object, d time.Duration, i cache.Indexers) cache.SharedIndexInformer {
	inner := incumbent(lw, o, d, i)
	return forgetful{inner, forgetfulIndexer{inner.GetIndexer(), new(sync.Mutex), map[string]bool{}}}
}

func newer(obj any) any {
	o := obj.(*corev1.ConfigMap).DeepCopy()
	o.Generation++
	return o
}

var sabotages = map[string]constructor{
	"an update is lost on the way":             losing(watch.Modified),
	"a deletion is lost on the way":            losing(watch.Deleted),
	"an addition is lost on the way":           losing(watch.Added),
	"an index keeps objects that have left it": newForgetful,
	"synced from the start":                    sabotaged(func(s *saboteur) { s.synced = true }),
	"handlers can't be removed":                sabotaged(func(s *saboteur) { s.disconnected = true }),
	"no resource version":                      sabotaged(func(s *saboteur) { s.version = true }),
	"a handler misses an update": meddling(meddler{onUpdate: func(m *meddler, old, obj any) {
		if m.count%10 != 0 {
			m.ResourceEventHandler.OnUpdate(old, obj)
		}
	}}),
	"a handler is told of an addition twice": meddling(meddler{onAdd: func(m *meddler, obj any, initial bool) {
		m.ResourceEventHandler.OnAdd(obj, initial)
		if m.count%10 == 0 {
			m.ResourceEventHandler.OnAdd(obj, initial)
		}
	}}),
	"a handler is not told which objects are initial": meddling(meddler{onAdd: func(m *meddler, obj any, _ bool) {
		m.ResourceEventHandler.OnAdd(obj, false)
	}}),
	"a handler takes every addition for initial": meddling(meddler{onAdd: func(m *meddler, obj any, _ bool) {
		m.ResourceEventHandler.OnAdd(obj, true)
	}}),
	"a missed deletion is not marked": meddling(meddler{onDelete: func(m *meddler, obj any) {
		if d, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = d.Obj
		}
		m.ResourceEventHandler.OnDelete(obj)
	}}),
	"an update has the wrong old object": meddling(meddler{onUpdate: func(m *meddler, _, obj any) {
		m.ResourceEventHandler.OnUpdate(obj, obj)
	}}),
	"an update is told one late": meddling(meddler{onUpdate: func(m *meddler, old, obj any) {
		if m.held != nil {
			m.held()
		}
		m.held = func() { m.ResourceEventHandler.OnUpdate(old, obj) }
	}}),
	"a deletion and an addition are one update": meddling(meddler{
		onDelete: func(m *meddler, obj any) { m.held = func() { m.ResourceEventHandler.OnDelete(obj) } },
		onAdd: func(m *meddler, obj any, initial bool) {
			m.held = nil
			m.ResourceEventHandler.OnAdd(obj, initial)
		},
	}),
	"a handler is told objects that are not in the store": meddling(meddler{onUpdate: func(m *meddler, old, obj any) {
		m.ResourceEventHandler.OnUpdate(old, newer(obj))
	}}),
}

// TestScriptsBite plays the scripts on informers that are wrong on purpose. A
// test that can't fail proves nothing.
func TestScriptsBite(t *testing.T) {
	for _, name := range keysOf(sabotages) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !shown(t, paced, sabotages[name]) {
				t.Error("40 scripts do not show it")
			}
			// Only the end of a stormy script shows an index, and the index may be right then.
			if !shown(t, stormy, sabotages[name]) && name != "an index keeps objects that have left it" {
				t.Error("40 stormy scripts do not show it")
			}
		})
	}
}

func shown(t *testing.T, draw func(uint64) *script, make constructor) bool {
	for seed := range uint64(40) {
		if o := run(t, draw(seed), make); o.complaint != "" {
			t.Logf("shown by seed %d: %s", seed, firstLine(o.complaint))
			return true
		}
	}
	return false
}
