package sim

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// told has the parts of a handler's call that are compared: the revisions of the object.
type told struct {
	op       byte  // 'A', 'U' or 'D'
	old, new int64 // D has only old
	initial  bool  // A: was in the initial list
	missed   bool  // D: came as DeletedFinalStateUnknown
}

// String is the text of a call in a report.
func (t told) String() string {
	switch t.op {
	case 'A':
		if t.initial {
			return fmt.Sprintf("+%d*", t.new)
		}
		return fmt.Sprintf("+%d", t.new)
	case 'U':
		return fmt.Sprintf("%d>%d", t.old, t.new)
	default:
		if t.missed {
			return fmt.Sprintf("-%d?", t.old)
		}
		return fmt.Sprintf("-%d", t.old)
	}
}

// sequences are the calls of a handler, key by key. The order among keys is not kept, because
// no informer promises one.
type sequences map[string][]told

// chronicle is what follows from a transcript: what a handler must be told, and which states
// the store may show. It is the model to compare informers with. It knows neither queues nor
// batches.
//
// Three things are left out, because informers may differ in them. An update that changes
// nothing may be told or not: a duplicate, an object that a relist has found unchanged, or a
// resync. The deletion of an absent object may be told or not. And if a list shows only the
// last of several changes, nobody is told the others. So the chronicle is made from the
// transcript of the same run.
type chronicle struct {
	entries []*entry
	tells   [][]keyed // for each entry
	hashes  []uint64  // hash of the world before each entry, and at the end
	first   int       // index of the first list; len(entries) if there is none
}

type keyed struct {
	key string
	told
}

func chronicleOf(entries []*entry) *chronicle {
	c := &chronicle{entries: entries, first: len(entries)}
	w, sum := world{}, uint64(0)
	for i, e := range entries {
		c.hashes = append(c.hashes, sum)
		if e.items != nil && c.first == len(entries) {
			c.first = i
		}
		tells := apply(w, e, i == c.first)
		for _, t := range tells {
			if t.old != 0 {
				sum -= hashOf(t.key, state{rev: t.old})
			}
			if t.new != 0 {
				sum += hashOf(t.key, state{rev: t.new})
			}
		}
		c.tells = append(c.tells, tells)
	}
	c.hashes = append(c.hashes, sum)
	return c
}

// apply applies an entry to w, and returns the calls that follow from it.
func apply(w world, e *entry, initial bool) []keyed {
	if e.items == nil {
		return applyEvent(w, e)
	}
	var tells []keyed
	for _, key := range keysOf(w) {
		if _, ok := e.items[key]; !ok {
			tells = append(tells, keyed{key, told{op: 'D', old: w[key].rev, missed: true}})
			delete(w, key)
		}
	}
	for _, key := range keysOf(e.items) {
		if t := put(w, key, e.items[key]); t.op != 0 {
			t.initial = initial && t.op == 'A'
			tells = append(tells, keyed{key, t})
		}
	}
	return tells
}

func applyEvent(w world, e *entry) []keyed {
	switch e.kind {
	case watch.Added, watch.Modified:
		if t := put(w, e.key, e.state); t.op != 0 {
			return []keyed{{e.key, t}}
		}
	case watch.Deleted:
		if old, ok := w[e.key]; ok {
			delete(w, e.key)
			return []keyed{{e.key, told{op: 'D', old: old.rev}}}
		}
	}
	return nil
}

func put(w world, key string, s state) told {
	old, ok := w[key]
	w[key] = s
	switch {
	case !ok:
		return told{op: 'A', new: s.rev}
	case old.version == s.version && old.uid == s.uid:
		return told{}
	default:
		return told{op: 'U', old: old.rev, new: s.rev}
	}
}

// worldAt is the world before the entry at the cut.
func (c *chronicle) worldAt(cut int) world {
	w := world{}
	for _, e := range c.entries[:cut] {
		apply(w, e, false)
	}
	return w
}

// expect returns the calls of a handler that joined at from and left at to: the objects at
// from, and then every change.
func (c *chronicle) expect(from, to int) sequences {
	want := sequences{}
	for key, s := range c.worldAt(from) {
		want[key] = append(want[key], told{op: 'A', new: s.rev, initial: true})
	}
	for _, tells := range c.tells[from:to] {
		for _, t := range tells {
			want[t.key] = append(want[t.key], t.told)
		}
	}
	return want
}

// joined finds a cut at which a handler with the calls got may have joined, if it stayed to
// the end. If there are several, it returns the last one.
func (c *chronicle) joined(got sequences) (int, bool) {
	for cut := len(c.entries); cut >= 0; cut-- {
		if diff(c.expect(cut, len(c.entries)), got) == "" {
			return cut, true
		}
	}
	return 0, false
}

// left reports whether a handler with the calls got may have joined at some cut and left at
// any later time.
func (c *chronicle) left(got sequences) bool {
	for cut := range len(c.entries) + 1 {
		want := c.expect(cut, len(c.entries))
		if isPrefix(got, want) {
			return true
		}
	}
	return len(got) == 0
}

func isPrefix(got, want sequences) bool {
	for key, g := range got {
		w := want[key]
		if len(g) > len(w) || !slices.Equal(g, w[:len(g)]) {
			return false
		}
	}
	return true
}

// diff says how two sequences differ, key by key. It is empty if they are the same.
func diff(want, got sequences) string {
	var text string
	keys := append(keysOf(want), keysOf(got)...)
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		if !slices.Equal(want[key], got[key]) {
			text += fmt.Sprintf("\n  %s: want %v\n  %s: got  %v", key, want[key], key, got[key])
		}
	}
	return text
}

// shows reports whether the store may show a world with this hash after the entry at from.
func (c *chronicle) shows(hash uint64, from int) bool {
	return slices.Contains(c.hashes[from:], hash)
}

// state has the parts of one version of an object that are compared.
type state struct {
	rev     int64
	uid     string
	version string
	color   string
}

func stateOf(o *corev1.ConfigMap) state {
	return state{rev: o.Generation, uid: string(o.UID), version: o.ResourceVersion, color: o.Labels["color"]}
}

// world is a set of objects by key.
type world map[string]state

func worldOf(objects []*corev1.ConfigMap) world {
	w := make(world, len(objects))
	for _, o := range objects {
		w[keyOf(o)] = stateOf(o)
	}
	return w
}

// hash is equal for equal worlds. It is a sum, so that one change of an object
// changes it in constant time.
func (w world) hash() uint64 {
	var sum uint64
	for key, s := range w {
		sum += hashOf(key, s)
	}
	return sum
}

func hashOf(key string, s state) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return mix(h ^ uint64(s.rev)*0x9e3779b97f4a7c15)
}

// mix spreads the bits of x over the whole result.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func keyOf(o *corev1.ConfigMap) string {
	return delta.Key{Namespace: o.Namespace, Name: o.Name}.String()
}

func splitKey(key string) delta.Key { return delta.ParseKey(key) }

func keysOf[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// shuffled orders the objects by the seed, independent of their earlier order.
func shuffled(seed uint64, objects []*corev1.ConfigMap) []*corev1.ConfigMap {
	slices.SortFunc(objects, func(a, b *corev1.ConfigMap) int { return cmp.Compare(keyOf(a), keyOf(b)) })
	rng := rand.New(rand.NewPCG(seed, 7))
	rng.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	return objects
}
