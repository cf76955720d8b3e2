//go:build invariants && !race && (amd64 || arm64)

package lock

import (
	"slices"
	"sync"
	"sync/atomic"
)

// held is what all goroutines hold now, in buckets so that they seldom wait for each other.
var held [256]bucket

// bucket has the notes of some goroutines.
type bucket struct {
	mu    sync.Mutex
	notes []note
}

// note is a goroutine and the rank of one lock that it holds.
type note struct {
	goroutine uint64
	of        rank
}

// taken counts how often a lock of each rank was taken.
var taken [1 << 8]atomic.Uint64

// Taken returns how often locks were taken since the process started, by the names of their ranks.
func Taken() map[string]int {
	all := map[string]int{}
	for of, name := range names {
		all[name] = int(taken[of].Load()) //nolint:gosec // nobody counts so far
	}
	return all
}

// add notes that a goroutine holds a lock.
func (n note) add() {
	taken[n.of].Add(1)
	b := bucketOf(n.goroutine)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = append(b.notes, n)
}

// remove notes that the lock is released, by whichever goroutine.
func (n note) remove() {
	b := bucketOf(n.goroutine)
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.notes, n)
	b.notes = slices.Delete(b.notes, i, i+1)
}

// heldBy returns the ranks that a goroutine holds.
func heldBy(goroutine uint64) (all []rank) {
	b := bucketOf(goroutine)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.notes {
		if n.goroutine == goroutine {
			all = append(all, n.of)
		}
	}
	return all
}

// bucketOf is the bucket of a goroutine. Goroutines fill the buckets evenly, though they are known by addresses.
func bucketOf(goroutine uint64) *bucket {
	const spread = 0x9e3779b97f4a7c15 // 2^64 by the golden ratio
	return &held[goroutine*spread>>(64-8)]
}

// self tells the calling goroutine from all others that run: it is the address of what the runtime knows of it, and
// takes a nanosecond. A goroutine that ends hands the address on. So if one ends and holds a lock, a later one seems
// to.
func self() uint64
