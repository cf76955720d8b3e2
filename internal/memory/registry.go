package memory

import "sync"

// given has the memory of each cache, until the cache ends.
var given sync.Map

// Give has a cache, and the controllers of its manager, use a memory.
func Give(cache any, m *Memory) { given.Store(cache, m) }

// Of returns the memory that a cache was given, or nil.
func Of(cache any) *Memory {
	m, _ := given.Load(cache)
	of, _ := m.(*Memory)
	return of
}

// Take ends that.
func Take(cache any) { given.Delete(cache) }
