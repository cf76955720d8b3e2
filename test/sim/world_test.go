package sim

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

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
