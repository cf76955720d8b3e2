package e2e

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// op is the sort of a notification.
type op uint8

const (
	_ op = iota
	added
	updated
	deleted
	missed // deleted, with the mark that the event was missed
)

func (o op) String() string { return [...]string{"?", "added", "updated", "deleted", "missed"}[o] }

// note is one notification.
type note struct {
	op         op
	key        cache.ObjectName
	old        uint64 // version before; only when updated
	version    uint64 // version that came with the notification
	inStore    uint64 // version that a reader saw at that moment; 0 if there was no object
	sinceStart time.Duration
}

func (n note) String() string {
	return fmt.Sprintf("%s %s at %d (before %d, in store %d, after %v)", n.op, n.key, n.version, n.old, n.inStore, n.sinceStart)
}

// listener records its notifications, and rebuilds the world from them.
type listener struct {
	name  string
	store cache.Store
	pause time.Duration // how long it takes for each notification
	start time.Time

	mu    sync.Mutex // guards everything below
	notes []note
	world map[cache.ObjectName]metav1.Object
	left  bool // it has been removed
}

func newListener(name string, store cache.Store, pause time.Duration) *listener {
	return &listener{
		name: name, store: store, pause: pause, start: time.Now(),
		world: map[cache.ObjectName]metav1.Object{},
	}
}

var _ cache.ResourceEventHandler = (*listener)(nil)

func (l *listener) OnAdd(obj any, _ bool) {
	l.take(note{op: added}, obj)
}

func (l *listener) OnUpdate(before, obj any) {
	l.take(note{op: updated, old: version(before)}, obj)
}

func (l *listener) OnDelete(obj any) {
	if mark, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		l.take(note{op: missed}, mark.Obj)
		return
	}
	l.take(note{op: deleted}, obj)
}

func (l *listener) take(n note, obj any) {
	object := object(obj)
	n.key, n.version = cache.MetaObjectToName(object), version(obj)
	n.sinceStart = time.Since(l.start).Round(time.Millisecond)
	if stored, ok, err := l.store.GetByKey(n.key.String()); err != nil {
		panic(fmt.Sprintf("read %s from the store: %v", n.key, err))
	} else if ok {
		n.inStore = version(stored)
	}
	l.mu.Lock()
	l.notes = append(l.notes, n)
	if n.op == deleted || n.op == missed {
		delete(l.world, n.key)
	} else {
		l.world[n.key] = object
	}
	l.mu.Unlock()
	if l.pause > 0 {
		time.Sleep(l.pause)
	}
}

// knows reports whether all these objects are in l's world.
func (l *listener) knows(keys []cache.ObjectName) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range keys {
		if _, ok := l.world[key]; !ok {
			return false
		}
	}
	return true
}

// differs says how l's world differs from want. It is empty if they are the same.
func (l *listener) differs(want map[cache.ObjectName]metav1.Object) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return difference(l.world, want)
}

// log returns l's notifications. It may be read when no more of them come.
func (l *listener) log() []note {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.notes
}

func object(obj any) metav1.Object {
	accessor, err := meta.Accessor(obj)
	if err != nil {
		panic(fmt.Sprintf("a listener was told of a %T: %v", obj, err))
	}
	return accessor
}

func version(obj any) uint64 {
	v, err := strconv.ParseUint(object(obj).GetResourceVersion(), 10, 64)
	if err != nil {
		panic(fmt.Sprintf("an object has no numeric version: %v", err))
	}
	return v
}
