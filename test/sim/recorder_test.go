package sim

import (
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// recorder is a handler that records its calls, and rebuilds the world from them.
type recorder struct {
	name  string
	slow  time.Duration // how long each call takes
	store cache.Store   // the store to look at in each call
	check func(*corev1.ConfigMap) error

	mu     sync.Mutex // guards everything below
	busy   bool
	calls  []call
	world  map[string]*corev1.ConfigMap
	probes []uint64 // hashes of the store's world in each call
	faults []string // calls that are wrong for every transcript
}

// call is one call of a handler.
type call struct {
	key string
	told
	same  bool          // an update that changed nothing
	stray bool          // a deletion of an absent object
	at    time.Duration // since the epoch of the bubble
	store int64         // the revision that the store showed in the call; 0 if none
}

func newRecorder(name string, slow time.Duration, store cache.Store) *recorder {
	return &recorder{name: name, slow: slow, store: store, world: map[string]*corev1.ConfigMap{}}
}

func (r *recorder) OnAdd(obj any, initial bool) {
	o := obj.(*corev1.ConfigMap)
	r.record(call{key: keyOf(o), told: told{op: 'A', new: o.Generation, initial: initial}}, nil, o)
}

func (r *recorder) OnUpdate(oldObj, newObj any) {
	before, o := oldObj.(*corev1.ConfigMap), newObj.(*corev1.ConfigMap)
	c := call{key: keyOf(o), told: told{op: 'U', old: before.Generation, new: o.Generation}}
	c.same = before.ResourceVersion == o.ResourceVersion && before.UID == o.UID
	r.record(c, before, o)
}

func (r *recorder) OnDelete(obj any) {
	unknown, missed := obj.(cache.DeletedFinalStateUnknown)
	if missed {
		obj = unknown.Obj
	}
	o := obj.(*corev1.ConfigMap)
	c := call{key: keyOf(o), told: told{op: 'D', old: o.Generation, missed: missed}}
	if missed && unknown.Key != c.key {
		r.fault("a tombstone for %s holds %s", unknown.Key, c.key)
	}
	r.record(c, o, nil)
}

func (r *recorder) fault(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// record compares a call with the earlier calls of the handler.
func (r *recorder) record(c call, before, after *corev1.ConfigMap) {
	c.at = sinceStart()
	sum, shown := probe(r.store)
	c.store = shown[c.key].rev
	r.mu.Lock()
	if r.busy {
		r.faults = append(r.faults, c.key+": called while another call was running")
	}
	r.busy = true
	r.probes = append(r.probes, sum)
	known, ok := r.world[c.key]
	switch {
	case c.op == 'D' && !ok:
		c.stray = true
	case c.op == 'D':
		delete(r.world, c.key)
	default:
		if c.op == 'U' && ok && c.same && known.Generation != c.new {
			r.faults = append(r.faults, fmt.Sprintf("%s: told %v as unchanged, after revision %d", c.key, c.told, known.Generation))
		}
		r.world[c.key] = after
	}
	if r.check != nil {
		for _, o := range []*corev1.ConfigMap{before, after} {
			if o == nil {
				continue
			}
			if err := r.check(o); err != nil {
				r.faults = append(r.faults, err.Error())
			}
		}
	}
	r.mu.Unlock()
	if r.slow > 0 {
		time.Sleep(r.slow)
	}
	r.mu.Lock()
	r.calls = append(r.calls, c)
	r.busy = false
	r.mu.Unlock()
}

// probe reads the whole store at one moment.
func probe(store cache.Store) (uint64, world) {
	list := store.List()
	w := make(world, len(list))
	for _, obj := range list {
		o := obj.(*corev1.ConfigMap)
		w[keyOf(o)] = stateOf(o)
	}
	return w.hash(), w
}

func (r *recorder) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.busy
}

// done is how many calls have returned.
func (r *recorder) done() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls)
}

// sequences returns the calls, without those that a [chronicle] leaves out.
func (r *recorder) sequences() sequences {
	r.mu.Lock()
	defer r.mu.Unlock()
	told := sequences{}
	for _, c := range r.calls {
		if !c.same && !c.stray {
			told[c.key] = append(told[c.key], c.told)
		}
	}
	return told
}

func (r *recorder) rebuilt() world {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := world{}
	for key, o := range r.world {
		w[key] = stateOf(o)
	}
	return w
}
