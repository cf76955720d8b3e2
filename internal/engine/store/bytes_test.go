package store

import (
	"testing"

	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// BenchmarkStoreBytes measures what a store adds to the objects in it, with an
// index by namespace, which ours always has.
func BenchmarkStoreBytes(b *testing.B) {
	objs := pods(b, 0)
	measure := func(b *testing.B, fill func() any) {
		for range b.N {
			heap := benchkit.StartHeap()
			heap.Report(b, len(objs), fill())
		}
	}
	ours := func(batch int) func() any {
		return func() any {
			s := New(objectTraits, nil)
			for i := 0; i < len(objs); i += batch {
				txn := s.Begin(batch)
				for _, o := range objs[i:min(i+batch, len(objs))] {
					txn.Put(keyOf(o), o)
				}
				txn.Commit("1")
			}
			return s
		}
	}
	b.Run("listed/ours", func(b *testing.B) { measure(b, ours(len(objs))) })
	b.Run("grown/ours", func(b *testing.B) { measure(b, ours(1)) })
	theirs := func() (cache.ThreadSafeStore, map[string]any) {
		items := make(map[string]any)
		for _, o := range objs {
			items[keyOf(o).String()] = o
		}
		return cache.NewThreadSafeStore(cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}, cache.Indices{}), items
	}
	b.Run("listed/incumbent", func(b *testing.B) {
		measure(b, func() any {
			s, items := theirs()
			s.Replace(items, "1")
			return s
		})
	})
	b.Run("grown/incumbent", func(b *testing.B) {
		measure(b, func() any {
			s, items := theirs()
			for key, o := range items {
				s.Add(key, o)
			}
			return s
		})
	})
}
