package store

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Store holds the objects of one kind, by key, by index value and by label. Its
// reading methods may be called by anyone at any time, see the newest commit, and
// wait for nobody; those that return more than one object see one commit
// throughout. Its writing methods, [Store.Begin] and [Store.AddIndexers], belong
// to one goroutine.
//
// The objects are shared by everybody who reads them: they must not be changed.
type Store[T any] struct {
	traits Traits[T]
	seed   maphash.Seed

	state   atomic.Pointer[state]
	catalog atomic.Pointer[catalog[T]]
	pins    pins[T]
	wishes  wishes

	// untidy says that a reader left work for the holder of write.
	untidy atomic.Bool
	// inTxn finds a second writer out. It is set before the writer waits for write.
	inTxn atomic.Bool

	// write is the right to change what follows. The writer has it from Begin to
	// Commit. A reader only ever tries to get it, to throw away what nobody needs
	// or to build a label index, and goes without if it cannot. It is a right
	// more than a lock, which is why index functions are called while it is held.
	// Order: write, then pins.mu or wishes.mu.
	write      lock.Mutex[lock.StoreWrite]
	entries    hashTable[entry[T], version[T]]
	namespaces *index[T]
	txn        Txn[T] // the only one there is, used again and again
}

// New returns an empty store. The indexers may be nil; more can be added later.
// Of traits, Key is not used, and Labels only where somebody selects by labels.
func New[T any](traits Traits[T], indexers Indexers[T]) *Store[T] {
	s := &Store[T]{traits: traits, seed: maphash.MakeSeed()}
	s.entries.resize(0)
	s.namespaces = newIndex[T]("", nil, s.seed)
	s.state.Store(&state{})
	s.txn.s = s
	named := make([]*index[T], 0, len(indexers))
	for name, values := range indexers {
		named = append(named, newIndex(name, values, s.seed))
	}
	s.catalog.Store(new(catalog[T]).with(named))
	return s
}

func (s *Store[T]) hash(key delta.Key) uint32 {
	h := maphash.String(s.seed, key.Name) ^ bits.RotateLeft64(maphash.String(s.seed, key.Namespace), 29)
	return uint32(h>>32) | 1
}

// find returns the newest version of a key, nil if there is no entry, and its place.
func (s *Store[T]) find(hash uint32, key delta.Key) (*version[T], place) {
	t := *s.entries.slots.Load()
	at := home(hash, len(t))
	// Mostly the key is in its first bucket. The slot is computed there, because a search would
	// branch on it, and the processor guesses two of three such branches wrong.
	b := &t[at]
	second, third := b.tags[1].Load(), b.tags[2].Load()
	i := int(equal(second, hash)&^equal(third, hash) | equal(third, hash)<<1)
	if b.tags[i].Load() == hash {
		if v := b.heads[i].Load(); v != nil && v.name == key.Name && *v.space == key.Namespace {
			return v, place{at, i}
		}
	}
	return s.search(t, at, hash, key)
}

// equal is 1 if a and b are equal, and 0 otherwise.
func equal(a, b uint32) uint64 { return (uint64(a^b) - 1) >> 63 }

// search is find in all buckets from at on.
func (s *Store[T]) search(t buckets[entry[T], version[T]], at int, hash uint32, key delta.Key) (*version[T], place) {
	// This is seek, written out: every read by key that is not in its first bucket comes through here.
	for {
		b := &t[at]
		for i := range b.tags {
			switch b.tags[i].Load() {
			case 0:
				return nil, place{}
			case hash:
				if v := b.heads[i].Load(); v != nil && v.name == key.Name && *v.space == key.Namespace {
					return v, place{at, i}
				}
			}
		}
		if at++; at == len(t) {
			at = 0
		}
	}
}

// Get returns the object of a key.
func (s *Store[T]) Get(key delta.Key) (obj T, ok bool) {
	hash := s.hash(key)
	for {
		now := s.state.Load()
		// Found after the state was loaded: a version of that state or an older one is final.
		v, _ := s.find(hash, key)
		if v != nil && v.seq() > now.seq {
			// The head belongs to a transaction under way, and what was before it is
			// the answer, unless that transaction has been committed in the meantime:
			// then what was before may be gone. Get holds no pin, so it starts again.
			v = v.prev.Load()
			if s.state.Load() != now {
				continue
			}
		}
		if v == nil || v.gone() {
			return obj, false
		}
		return v.obj, true
	}
}

// Len returns the number of objects.
func (s *Store[T]) Len() int { return s.state.Load().count }

// Version returns the resource version of the newest commit.
func (s *Store[T]) Version() string { return s.state.Load().version }

// look reads the newest state; the pin goes when read returns.
func look[T, R any](s *Store[T], read func(*View[T]) R) R {
	p := s.pin()
	defer s.unpin(p)
	return read(&View[T]{s: s, pin: p})
}

// List returns all objects, in no order.
func (s *Store[T]) List() []T {
	return look(s, (*View[T]).List)
}

// ByIndex returns the objects filed under a value of a named index, in no order.
func (s *Store[T]) ByIndex(name, value string) (objs []T, err error) {
	p := s.pin()
	defer s.unpin(p)
	return (&View[T]{s: s, pin: p}).ByIndex(name, value)
}

// IndexKeys returns the keys of the objects that [Store.ByIndex] returns.
func (s *Store[T]) IndexKeys(name, value string) ([]delta.Key, error) {
	p := s.pin()
	defer s.unpin(p)
	return (&View[T]{s: s, pin: p}).IndexKeys(name, value)
}

// IndexValues returns the values of a named index under which an object is filed,
// in no order.
func (s *Store[T]) IndexValues(name string) ([]string, error) {
	p := s.pin()
	defer s.unpin(p)
	return (&View[T]{s: s, pin: p}).IndexValues(name)
}

// Select returns the objects of a namespace, or of all if it is empty, whose
// labels match, in no order. See [View.Select] for what it costs.
func (s *Store[T]) Select(namespace string, sel labels.Selector) []T {
	return look(s, func(v *View[T]) []T { return v.Select(namespace, sel) })
}

// indexNamed returns the index, or an error that names it.
func (s *Store[T]) indexNamed(name string) (*index[T], error) {
	if x := s.catalog.Load().named[name]; x != nil {
		return x, nil
	}
	return nil, &namesError{fmt.Sprintf("Index with name %s does not exist", name), ErrNoIndex}
}

// postingNamed returns the posting of a value in a named index, nil if there is nothing under it.
func (s *Store[T]) postingNamed(name, value string) (*posting[T], error) {
	x, err := s.indexNamed(name)
	if err != nil {
		return nil, err
	}
	return x.find(value), nil
}
