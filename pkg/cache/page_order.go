package cache

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// keyOf is the key of an object in the store; the zero key if it has no metadata.
func keyOf(obj any) delta.Key {
	object, ok := obj.(metav1.Object)
	if !ok {
		accessor, err := meta.Accessor(obj)
		if err != nil {
			return delta.Key{}
		}
		object = accessor
	}
	return delta.Key{Namespace: object.GetNamespace(), Name: object.GetName()}
}

func sortByKey(objs []any) {
	slices.SortFunc(objs, func(a, b any) int { return keyOf(a).Compare(keyOf(b)) })
}

// lowestFirst puts the n objects with the lowest keys first, in order, and leaves
// the others in no order. It is for n much smaller than there are objects: it
// looks at most of them once.
func lowestFirst(objs []any, n int) {
	// The first n are a heap with the highest key on top, which is exchanged for
	// whatever is lower.
	for at := n/2 - 1; at >= 0; at-- {
		sink(objs[:n], at)
	}
	if n > 0 {
		highest := keyOf(objs[0])
		for i := n; i < len(objs); i++ {
			if keyOf(objs[i]).Compare(highest) < 0 {
				objs[0], objs[i] = objs[i], objs[0]
				sink(objs[:n], 0)
				highest = keyOf(objs[0])
			}
		}
	}
	sortByKey(objs[:n])
}

// sink moves an object down the heap to where neither below it has a higher key.
func sink(heap []any, at int) {
	for {
		child := 2*at + 1
		if child >= len(heap) {
			return
		}
		if right := child + 1; right < len(heap) && keyOf(heap[right]).Compare(keyOf(heap[child])) > 0 {
			child = right
		}
		if keyOf(heap[at]).Compare(keyOf(heap[child])) >= 0 {
			return
		}
		heap[at], heap[child] = heap[child], heap[at]
		at = child
	}
}
