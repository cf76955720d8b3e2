package keyqueue

import (
	"fmt"
	"testing"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

type benchKey struct{ namespace, name string }

func benchKeys(n int) []benchKey {
	out := make([]benchKey, n)
	for i := range out {
		out[i] = benchKey{fmt.Sprint("team-", i%100), fmt.Sprint("deployment-", i)}
	}
	return out
}

// BenchmarkTable measures one cycle of a key in the table: look it up in vain, insert it, look
// it up, remove it. A thousand other keys are there. The incumbent is the built-in map.
func BenchmarkTable(b *testing.B) {
	keys := benchKeys(2000)
	keys, others := keys[:1000], keys[1000:]
	b.Run("ours", func(b *testing.B) {
		t := newTable[benchKey]()
		for _, key := range others {
			t.insert(&entry[benchKey]{key: key, hash: t.hash(key)})
		}
		e := &entry[benchKey]{}
		for i := range b.N {
			key := keys[i%len(keys)]
			hash := t.hash(key)
			if t.find(key, hash) == nil {
				e.key, e.hash = key, hash
				t.insert(e)
			}
			t.remove(t.find(key, t.hash(key)))
		}
	})
	b.Run("incumbent", func(b *testing.B) {
		m := map[benchKey]*entry[benchKey]{}
		for _, key := range others {
			m[key] = &entry[benchKey]{key: key}
		}
		e := &entry[benchKey]{}
		for i := range b.N {
			key := keys[i%len(keys)]
			if m[key] == nil {
				m[key] = e
			}
			if m[key] != nil {
				delete(m, key)
			}
		}
	})
}

// BenchmarkCycle measures the schedule alone, without lock, clock and metrics.
func BenchmarkCycle(b *testing.B) {
	keys := benchKeys(1000)
	s := newSchedule(Options[benchKey]{})
	b.ReportAllocs()
	for i := range b.N {
		s.add(0, keys[i%len(keys)], queue.AddOptions{})
		e, _ := s.take(0)
		s.done(0, e.key)
	}
}

// BenchmarkContents shows that the cost depends on what is returned, not on the queue's size.
func BenchmarkContents(b *testing.B) {
	for _, size := range []int{1_000, 100_000} {
		q := New(Options[benchKey]{})
		for i, key := range benchKeys(size) {
			q.AddWithOptions(queue.AddOptions{After: 1 << 50, Priority: i % 3}, key)
		}
		b.Run(fmt.Sprintf("100 of %d", size), func(b *testing.B) {
			for range b.N {
				_ = q.Contents(100)
			}
		})
		q.ShutDown()
	}
}
