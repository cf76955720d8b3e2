package store

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// In these tests every batch keeps the sum of all sizes as it was, and moves a
// whole group from one tag to another, so that a reader can tell a half batch.
const (
	accounts = 40
	each     = 100
)

func account(i, size, round int) cell {
	return cell{
		key: delta.Key{Namespace: namespaces[i%3], Name: strconv.Itoa(i)}, version: fmt.Sprint(round, ".", i, ".", size),
		color: colors[round%3], tags: "t", size: size,
	}
}

// transfers writes batches until all rounds are done: sizes move between accounts,
// some accounts are closed and opened, and all change color together.
func transfers(s *Store[cell], rng *rand.Rand, rounds int) {
	sizes := make([]int, accounts)
	for i := range sizes {
		sizes[i] = each
	}
	for round := range rounds {
		txn := s.Begin(accounts)
		for range 5 {
			from, to := rng.IntN(accounts), rng.IntN(accounts)
			amount := rng.IntN(sizes[from] + 1)
			sizes[from] -= amount
			sizes[to] += amount
		}
		for _, i := range rng.Perm(accounts) {
			c := account(i, sizes[i], round)
			if sizes[i] == 0 {
				txn.Remove(c.key)
				continue
			}
			txn.Put(c.key, account(i, -1, round)) // never to be seen
			txn.Put(c.key, c)
		}
		txn.Commit(strconv.Itoa(round))
	}
}

func sum(cells []cell) (total int) {
	for _, c := range cells {
		total += c.size
	}
	return total
}

// wholeIn reports what is wrong with what a view shows.
func wholeIn(v *View[cell], sel labels.Selector) error {
	list := v.List()
	if sum(list) != accounts*each || len(list) != v.Len() {
		return fmt.Errorf("%d of %d objects add up to %d, want %d", len(list), v.Len(), sum(list), accounts*each)
	}
	round, err := strconv.Atoi(v.Version())
	if err != nil {
		return err
	}
	color := colors[round%3]
	byColor, err := v.ByIndex("color", color)
	if err != nil || len(byColor) != len(list) {
		return fmt.Errorf("round %d: %d of %d objects are %s: %w", round, len(byColor), len(list), color, err)
	}
	if bySize := v.Select("", sel); sum(bySize) != accounts*each {
		return fmt.Errorf("round %d: by label they add up to %d", round, sum(bySize))
	}
	filed, err := v.SelectFiled(sel, Filed{"color", color})
	if err != nil || sum(filed) != accounts*each {
		return fmt.Errorf("round %d: by index and label they add up to %d: %w", round, sum(filed), err)
	}
	in := map[string]int{}
	for _, c := range list {
		in[c.key.Namespace]++
		if got, ok := v.Get(c.key); !ok || got != c {
			return fmt.Errorf("round %d: Get(%s) = %v %v, listed is %v", round, c.key, got, ok, c)
		}
	}
	for _, ns := range namespaces[1:] {
		if n := len(v.Select(ns, nil)); n != in[ns] {
			return fmt.Errorf("round %d: %d objects in namespace %s, want %d", round, n, ns, in[ns])
		}
	}
	return nil
}

func TestReadersSeeBatchesWhole(t *testing.T) {
	for seed := range max(seeds.Count(t, usualSeeds)/20, 1) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			s := New(cellTraits, Indexers[cell]{"color": byColor})
			transfers(s, rand.New(rand.NewPCG(seed, 0)), 1)
			sel, err := labels.Parse("size")
			if err != nil {
				t.Fatal(err)
			}
			var done atomic.Bool
			var readers sync.WaitGroup
			for reader := range 3 {
				readers.Go(func() {
					held := s.View()
					defer func() { held.Release() }()
					for n := 0; !done.Load() && !t.Failed(); n++ {
						if n%(5+reader) == 0 {
							held.Release()
							held = s.View()
						}
						if err := wholeIn(held, sel); err != nil {
							t.Errorf("held view: %v", err)
						}
						if total := sum(s.List()); total != accounts*each {
							t.Errorf("list adds up to %d", total)
						}
						key := account(n%accounts, 0, 0).key
						if c, ok := s.Get(key); ok && (c.size < 0 || c.key != key) {
							t.Errorf("Get(%s) = %v, which no commit has shown", key, c)
						}
					}
				})
			}
			transfers(s, rand.New(rand.NewPCG(seed, 1)), 150)
			done.Store(true)
			readers.Wait()
			if err := s.check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A Get never goes back: what it returns is at least as new as what was committed
// before it was called.
func TestGetIsNeverOld(t *testing.T) {
	s := New(cellTraits, nil)
	key := delta.Key{Namespace: "a", Name: "x"}
	var committed atomic.Int64
	put := func(n int) {
		txn := s.Begin(1)
		txn.Put(key, cell{key: key, size: n})
		txn.Commit("")
		committed.Store(int64(n))
	}
	put(0)
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for !done.Load() && !t.Failed() {
				least := committed.Load()
				if c, ok := s.Get(key); !ok || int64(c.size) < least {
					t.Errorf("Get = %v %v after %d was committed", c, ok, least)
				}
			}
		})
	}
	for n := range 20_000 {
		put(n)
	}
	done.Store(true)
	readers.Wait()
}
