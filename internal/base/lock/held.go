//go:build invariants && (amd64 || arm64)

package lock

import "sync/atomic"

// held is what all goroutines hold now.
var held table

// table has a note for each lock that somebody holds, in the bucket of the goroutine. A note stays in its place until
// the lock is released, also by another goroutine, so nobody waits for anybody.
type table [256]bucket

// bucket is a few notes, and more of them if these were in use.
type bucket struct {
	notes [7]note
	more  atomic.Pointer[bucket]
}

// taken counts how often a lock of each rank was taken.
var taken [1 << rankBits]atomic.Uint64

// Taken returns how often locks were taken since the process started, by the names of their ranks.
func Taken() map[string]int {
	all := map[string]int{}
	for of, name := range names {
		all[name] = int(taken[of].Load()) //nolint:gosec // nobody counts so far
	}
	return all
}

// note is a goroutine and the rank of one lock that it holds; zero is free.
type note struct{ word atomic.Uint64 }

// rankBits are the bits of a note that are the rank. The others are the goroutine.
const rankBits = 8

func (n *note) remove() {
	ignoreSync()
	defer seeSync()
	n.word.Store(0)
}

// add notes that a goroutine holds a lock.
func (t *table) add(goroutine uint64, of rank) *note {
	ignoreSync()
	defer seeSync()
	taken[of].Add(1)
	word := goroutine<<rankBits | uint64(of)
	for b := t.of(goroutine); ; b = b.next() {
		for i := range b.notes {
			if n := &b.notes[i]; n.word.Load() == 0 && n.word.CompareAndSwap(0, word) {
				return n
			}
		}
	}
}

// by returns the ranks that a goroutine holds.
func (t *table) by(goroutine uint64) (all []rank) {
	ignoreSync()
	defer seeSync()
	for b := t.of(goroutine); b != nil; b = b.more.Load() {
		for i := range b.notes {
			if word := b.notes[i].word.Load(); word>>rankBits == goroutine {
				all = append(all, rank(word&(1<<rankBits-1)))
			}
		}
	}
	return all
}

// of is the bucket of a goroutine. Goroutines fill the buckets evenly, whether they have numbers or
// addresses.
func (t *table) of(goroutine uint64) *bucket {
	const spread = 0x9e3779b97f4a7c15 // 2^64 by the golden ratio
	return &t[goroutine*spread>>(64-8)]
}

// next is the bucket with more room. It stays when it is empty: there are never more of them
// than were needed at one time.
func (b *bucket) next() *bucket {
	if b.more.Load() == nil {
		b.more.CompareAndSwap(nil, &bucket{})
	}
	return b.more.Load()
}

// self tells the calling goroutine from all others that run: it is the address of what the runtime knows of it, and
// takes a nanosecond. A goroutine that ends hands the address on. So if one ends and holds a lock, a later one seems
// to.
func self() uint64
