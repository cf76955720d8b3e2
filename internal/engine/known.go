package engine

import "github.com/delta-runtime/delta-runtime/pkg/delta"

// keySet has some keys, each with its last place in a list.
type keySet map[delta.Key]int

func newKeySet(keys []delta.Key) keySet {
	s := make(keySet, len(keys))
	for i, key := range keys {
		s[key] = i
	}
	return s
}

// distinct reports whether no two keys are the same. For keys in order, which is most of the time a
// server's order, it only compares neighbours.
func distinct(keys []delta.Key) bool {
	for i := 1; i < len(keys); i++ {
		if keys[i-1].Compare(keys[i]) >= 0 {
			return len(newKeySet(keys)) == len(keys)
		}
	}
	return true
}

// lastOfEach leaves the last object of each key, where the others were.
func lastOfEach[T any](objs []T, keys []delta.Key) ([]T, []delta.Key) {
	last := newKeySet(keys)
	n := 0
	for i, key := range keys {
		if last[key] == i {
			objs[n], keys[n] = objs[i], key
			n++
		}
	}
	clear(objs[n:])
	return objs[:n], keys[:n]
}
