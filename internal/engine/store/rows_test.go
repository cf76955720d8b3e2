package store

import (
	"fmt"
	"math/rand/v2"
	gc "runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// object stands for controller-runtime's client.Object, with which the cache
// fills a store.
type object interface {
	metav1.Object
	runtime.Object
}

var objectTraits = Traits[object]{
	Version: func(o object) string { return o.GetResourceVersion() },
	UID:     func(o object) string { return string(o.GetUID()) },
	Labels:  func(o object) map[string]string { return o.GetLabels() },
}

func keyOf(o object) delta.Key { return delta.Key{Namespace: o.GetNamespace(), Name: o.GetName()} }

// pod is the i-th of n: 100 namespaces, ReplicaSets of 50, 100 applications,
// nodes of 100, six labels. Fields that a store does not look at are left out.
func pod(i, generation int) object {
	set, app := i/50, i%100
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       fmt.Sprintf("team-%02d", i/7%100),
			Name:            fmt.Sprintf("app-%d-%08x-%05x", app, set*2654435761, i),
			UID:             types.UID(fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i)),
			ResourceVersion: strconv.Itoa(1_000_000*(generation+1) + i),
			Labels: map[string]string{
				"app": "app-" + strconv.Itoa(app), "pod-template-hash": fmt.Sprintf("%08x", set*2654435761),
				"tier": []string{"web", "db", "queue"}[i%3], "release": "stable",
				"team": "team-" + strconv.Itoa(i%20), "shard": strconv.Itoa(i / 10),
			},
		},
		Spec: corev1.PodSpec{NodeName: "node-" + strconv.Itoa(i/100)},
	}
}

func pods(tb testing.TB, generation int) []object {
	all := make([]object, benchkit.Size(tb))
	for i := range all {
		all[i] = pod(i, generation)
	}
	return all
}

func byNode(o object) ([]string, error) { return []string{o.(*corev1.Pod).Spec.NodeName}, nil }
func byApp(o object) ([]string, error)  { return []string{o.GetLabels()["app"]}, nil }
func byUID(o object) ([]string, error)  { return []string{string(o.GetUID())}, nil }

// indexers returns the first n of three, for us and for client-go.
func indexers(n int) (Indexers[object], cache.Indexers) {
	ours, theirs := Indexers[object]{}, cache.Indexers{}
	for i, fn := range []IndexFunc[object]{byApp, byNode, byUID}[:n] {
		name := "index-" + strconv.Itoa(i)
		ours[name] = fn
		theirs[name] = func(o any) ([]string, error) { return fn(o.(object)) }
	}
	return ours, theirs
}

// fixture is the same objects in a store of ours and in one of client-go's. The
// keys to ask for are copies, as those that a request carries are.
type fixture struct {
	ours     *Store[object]
	theirs   cache.ThreadSafeStore
	now      []object
	next     []object // the same objects, changed
	keys     []delta.Key
	texts    []string
	order    []int // in which objects are visited, random
	versions int
}

// ask makes the keys to ask for, after those in the stores: a copy that lies beside
// its original in memory would bring that into the cache.
func (f *fixture) ask() {
	for _, o := range f.now {
		f.keys = append(f.keys, delta.Key{Namespace: f.shared(o.GetNamespace()), Name: strings.Clone(o.GetName())})
	}
	for _, o := range f.now {
		f.texts = append(f.texts, o.GetNamespace()+"/"+o.GetName())
	}
}

// shared returns one string for all equal ones.
func (f *fixture) shared(s string) string {
	for _, key := range f.keys[:min(len(f.keys), 1000)] {
		if key.Namespace == s {
			return key.Namespace
		}
	}
	return s
}

// newFixture has label indexes in use, in ours; client-go has none.
func newFixture(b *testing.B, indexes int) *fixture {
	ours, theirs := indexers(indexes)
	f := &fixture{
		ours: New(objectTraits, ours), theirs: cache.NewThreadSafeStore(theirs, cache.Indices{}),
		now: pods(b, 0), next: pods(b, 1), order: rand.New(rand.NewPCG(1, 2)).Perm(benchkit.Size(b)),
	}
	txn := f.ours.Begin(len(f.now))
	for _, o := range f.now {
		txn.Put(keyOf(o), o)
		f.theirs.Add(keyOf(o).String(), o)
	}
	txn.Commit("1")
	f.ask()
	for _, s := range []string{"app=app-1", "pod-template-hash=00000000"} {
		sel, err := labels.Parse(s)
		if err != nil {
			b.Fatal(err)
		}
		f.ours.Select("", sel)
	}
	if n := len(f.ours.catalog.Load().labels); n != 2 {
		b.Fatalf("%d label indexes are in use, want 2", n)
	}
	gc.GC() // or the first to be measured pays for the collection of all this
	return f
}

// updates times n updates, which write makes of an object that has just been made,
// as it has been decoded when an event is applied. Making it is not timed.
func (f *fixture) updates(b *testing.B, stride int, write func(keys []int, objs []object)) {
	b.ReportAllocs()
	keys, objs := make([]int, stride), make([]object, stride)
	var spent time.Duration
	cpu := benchkit.StartCPU()
	cpu.Stop()
	for i := 0; i < b.N; i += stride {
		b.StopTimer()
		for j := range stride {
			f.versions++
			keys[j] = f.order[(i+j)%len(f.order)]
			objs[j] = pod(keys[j], f.versions)
		}
		b.StartTimer()
		start := time.Now()
		cpu.Start()
		write(keys, objs)
		cpu.Stop()
		spent += time.Since(start)
	}
	written := (b.N + stride - 1) / stride * stride
	cpu.Start()
	cpu.Report(b, written)
	b.ReportMetric(float64(spent.Nanoseconds())/float64(written), "ns/op")
}

func BenchmarkRow04_StoreGet(b *testing.B) {
	f := newFixture(b, 3)
	b.Run("ours", func(b *testing.B) {
		defer benchkit.StartCPU().Report(b, b.N)
		for i := range b.N {
			if _, ok := f.ours.Get(f.keys[f.order[i%len(f.order)]]); !ok {
				b.Fatal("not found")
			}
		}
	})
	b.Run("incumbent", func(b *testing.B) {
		defer benchkit.StartCPU().Report(b, b.N)
		for i := range b.N {
			if _, ok := f.theirs.Get(f.texts[f.order[i%len(f.order)]]); !ok {
				b.Fatal("not found")
			}
		}
	})
}

func BenchmarkRow05_StoreUpdate(b *testing.B) {
	for _, n := range []int{0, 1, 3} {
		b.Run(fmt.Sprint("indexers=", n), func(b *testing.B) { benchUpdate(b, newFixture(b, n)) })
	}
}

func benchUpdate(b *testing.B, f *fixture) {
	const stride = 100
	one := func(key int, o object) {
		txn := f.ours.Begin(1)
		txn.Put(f.keys[key], o)
		txn.Commit("2")
	}
	theirs := func(b *testing.B) {
		f.updates(b, stride, func(keys []int, objs []object) {
			for i, o := range objs {
				f.theirs.Update(f.texts[keys[i]], o)
			}
		})
	}
	b.Run("ours", func(b *testing.B) {
		f.updates(b, stride, func(keys []int, objs []object) {
			for i, o := range objs {
				one(keys[i], o)
			}
		})
	})
	b.Run("incumbent", theirs)
	b.Run("view=held/ours", func(b *testing.B) {
		defer f.ours.View().Release() // for good, while another is taken each time
		v := f.ours.View()
		f.updates(b, stride, func(keys []int, objs []object) {
			for i, o := range objs {
				one(keys[i], o)
				v.Release()
				v = f.ours.View()
			}
		})
		v.Release()
	})
	b.Run("view=held/incumbent", theirs)
	b.Run("view=held-batch=100/ours", func(b *testing.B) {
		defer f.ours.View().Release()
		v := f.ours.View()
		f.updates(b, stride, func(keys []int, objs []object) {
			txn := f.ours.Begin(stride)
			for i, o := range objs {
				txn.Put(f.keys[keys[i]], o)
			}
			txn.Commit("2")
			v.Release()
			v = f.ours.View()
		})
		v.Release()
	})
	b.Run("view=held-batch=100/incumbent", theirs)
}
