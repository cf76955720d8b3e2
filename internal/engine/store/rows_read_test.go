package store

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

func BenchmarkRow06_StoreList(b *testing.B) {
	f := newFixture(b, 3)
	f.churn()
	b.Run("ours", func(b *testing.B) {
		defer benchkit.StartCPU().Report(b, b.N)
		for range b.N {
			if len(f.ours.List()) != len(f.now) {
				b.Fatal("short list")
			}
		}
	})
	b.Run("incumbent", func(b *testing.B) {
		defer benchkit.StartCPU().Report(b, b.N)
		for range b.N {
			if len(f.theirs.List()) != len(f.now) {
				b.Fatal("short list")
			}
		}
	})
}

// churn updates every object once in random order, one at a time, so that what is
// read afterwards lies in memory as it does in a store that has lived for a while.
func (f *fixture) churn() {
	for _, n := range f.order {
		o := f.next[n]
		txn := f.ours.Begin(1)
		txn.Put(f.keys[n], o)
		txn.Commit("2")
		f.theirs.Update(f.texts[n], o)
	}
}

func BenchmarkRow07_StoreByIndex(b *testing.B) {
	f := newFixture(b, 3)
	f.churn()
	hits := len(f.now) / 100
	values := make([]string, 100)
	for i := range values {
		values[i] = "app-" + strconv.Itoa(i)
	}
	b.Run("ours", func(b *testing.B) {
		defer benchkit.StartCPU().Report(b, b.N)
		for i := range b.N {
			if found, err := f.ours.ByIndex("index-0", values[i%100]); err != nil || len(found) != hits {
				b.Fatal(len(found), err)
			}
		}
	})
	b.Run("incumbent", func(b *testing.B) {
		defer benchkit.StartCPU().Report(b, b.N)
		for i := range b.N {
			if found, err := f.theirs.ByIndex("index-0", values[i%100]); err != nil || len(found) != hits {
				b.Fatal(len(found), err)
			}
		}
	})
}

// replace is what a relist does in the engine, from a list of objects to the store. An object of the version that is known is
// left alone, and as many objects as the store has are all of them.
func (f *fixture) replace(objs []object) {
	var news []object
	found := 0
	for _, o := range objs {
		known, there := f.ours.Get(keyOf(o))
		if there {
			found++
		}
		if !there || !objectTraits.SameState(known, o) {
			news = append(news, o)
		}
	}
	if found != f.ours.Len() {
		panic("BUG: the list lacks an object")
	}
	txn := f.ours.Begin(len(news))
	for _, o := range news {
		txn.Replace(keyOf(o), o, func(old object) bool { return objectTraits.SameState(old, o) })
	}
	f.versions++
	txn.Commit(strconv.Itoa(f.versions))
}

func (f *fixture) replaceTheirs(objs []object) {
	items := make(map[string]any, len(objs))
	for _, o := range objs {
		key, err := cache.MetaNamespaceKeyFunc(o)
		if err != nil {
			panic(err)
		}
		items[key] = o
	}
	f.versions++
	f.theirs.Replace(items, strconv.Itoa(f.versions))
}

func BenchmarkRow08_StoreReplaceUnchanged(b *testing.B) {
	f := newFixture(b, 3)
	again := [][]object{pods(b, 0), pods(b, 0)} // equal, decoded again
	perObject := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(f.now)), "ns/object")
	}
	b.Run("ours", func(b *testing.B) {
		for i := range b.N {
			f.replace(again[i%2])
		}
		perObject(b)
	})
	b.Run("incumbent", func(b *testing.B) {
		for i := range b.N {
			f.replaceTheirs(again[i%2])
		}
		perObject(b)
	})
}

func BenchmarkRow09_StoreReadDuringReplace(b *testing.B) {
	f := newFixture(b, 3)
	lists := map[string][2][]object{"unchanged": {pods(b, 0), pods(b, 0)}, "changed": {pods(b, 2), pods(b, 3)}}
	for _, name := range []string{"unchanged", "changed"} {
		b.Run(name+"/ours", func(b *testing.B) {
			p99 := f.readMeanwhile(b, func(i int) { f.ours.Get(f.keys[i]) }, func(i int) { f.replace(lists[name][i%2]) })
			b.ReportMetric(p99, "p99-ns")
		})
		b.Run(name+"/incumbent", func(b *testing.B) {
			p99 := f.readMeanwhile(b, func(i int) { f.theirs.Get(f.texts[i]) }, func(i int) { f.replaceTheirs(lists[name][i%2]) })
			b.ReportMetric(p99, "p99-ns")
		})
	}
}

// readMeanwhile measures how long reads take that are due every 50 µs while write
// runs, and returns the 99th percentile; there is one even if write takes no time. A read that is late because the one
// before it took long counts from when it was due.
func (f *fixture) readMeanwhile(b *testing.B, read, write func(i int)) float64 {
	const every = 50 * time.Microsecond
	var took []time.Duration
	for i := range b.N {
		var end atomic.Pointer[time.Time] // nil while the write goes on
		var reader sync.WaitGroup
		reader.Go(func() {
			due := time.Now()
			for n := 0; n == 0 || end.Load() == nil || due.Before(*end.Load()); n++ {
				for time.Now().Before(due) {
				}
				read(f.order[n%len(f.order)])
				took = append(took, time.Since(due))
				due = due.Add(every)
			}
		})
		write(i)
		now := time.Now()
		end.Store(&now)
		reader.Wait()
	}
	slices.Sort(took)
	return float64(took[len(took)*99/100])
}
