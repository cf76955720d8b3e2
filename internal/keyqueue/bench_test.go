package keyqueue

import (
	"fmt"
	"testing"
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
