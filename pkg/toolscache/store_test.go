package toolscache

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// byLabel files an object under each letter of its label.
func byLabel(key string) cache.IndexFunc {
	return func(obj any) ([]string, error) {
		value, ok := obj.(*corev1.ConfigMap).Labels[key]
		if !ok {
			return nil, nil
		}
		return strings.Split(value, ""), nil
	}
}

func byNamespace(obj any) ([]string, error) {
	return []string{obj.(*corev1.ConfigMap).Namespace}, nil
}

// pair is a store of client-go's and one of ours under the same script.
type pair struct {
	rng      *rand.Rand
	theirs   cache.Indexer
	ours     cache.Indexer
	indexers cache.Indexers
	version  int
}

func newPair(seed uint64) *pair {
	indexers := func() cache.Indexers {
		return cache.Indexers{"namespace": byNamespace, "color": byLabel("color")}
	}
	return &pair{
		rng:    rand.New(rand.NewPCG(seed, 0)),
		theirs: cache.NewIndexer(cache.MetaNamespaceKeyFunc, indexers()),
		ours:   NewIndexer(cache.MetaNamespaceKeyFunc, indexers()), indexers: indexers(),
	}
}

func (p *pair) object() *corev1.ConfigMap {
	p.version += p.rng.IntN(2) // as in tests that give all their objects the same one
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace:       []string{"", "a", "b"}[p.rng.IntN(3)],
		Name:            []string{"x", "y", "z", "u", "v"}[p.rng.IntN(5)],
		ResourceVersion: strconv.Itoa(p.version),
		Labels:          map[string]string{},
	}}
	for _, key := range []string{"color", "shape"} {
		if p.rng.IntN(4) > 0 {
			o.Labels[key] = []string{"r", "g", "rg", "gr", "b", "rr", ""}[p.rng.IntN(7)]
		}
	}
	return o
}

// keyless is an object whose key function fails.
type keyless struct{}

func (p *pair) step() error {
	o := p.object()
	switch p.rng.IntN(8) {
	case 0, 1, 2:
		return same("Add", p.theirs.Add(o), p.ours.Add(o))
	case 3:
		return same("Update", p.theirs.Update(o), p.ours.Update(o))
	case 4:
		return same("Delete", p.theirs.Delete(o), p.ours.Delete(o))
	case 5:
		var list []any
		for range p.rng.IntN(12) {
			list = append(list, p.object())
		}
		p.version++
		version := strconv.Itoa(p.version)
		return same("Replace", p.theirs.Replace(slices.Clone(list), version), p.ours.Replace(list, version))
	case 6:
		return p.transaction()
	default:
		return p.addIndexers()
	}
}

func (p *pair) transaction() error {
	var writes []cache.Transaction
	for range 1 + p.rng.IntN(6) {
		w := cache.Transaction{Object: p.object()}
		w.Type = []cache.TransactionType{cache.TransactionTypeAdd, cache.TransactionTypeUpdate, cache.TransactionTypeDelete}[p.rng.IntN(3)]
		if p.rng.IntN(10) == 0 {
			w.Object = keyless{}
		}
		writes = append(writes, w)
	}
	writes = append(writes, cache.Transaction{Type: cache.TransactionTypeAdd, Object: p.object()})
	theirs := p.theirs.(cache.TransactionStore).Transaction(writes...)
	ours := p.ours.(cache.TransactionStore).Transaction(writes...)
	return same("Transaction", theirs, ours)
}

func (p *pair) addIndexers() error {
	added := cache.Indexers{}
	for range 1 + p.rng.IntN(3) {
		name := []string{"shape", "color", "other"}[p.rng.IntN(3)]
		added[name] = byLabel(name)
	}
	theirs, ours := p.theirs.AddIndexers(maps.Clone(added)), p.ours.AddIndexers(maps.Clone(added))
	if theirs == nil {
		maps.Copy(p.indexers, added)
	}
	return same("AddIndexers", fmt.Sprint(theirs), fmt.Sprint(ours))
}

func same(what string, theirs, ours any) error {
	if !reflect.DeepEqual(theirs, ours) {
		return fmt.Errorf("%s: client-go %v, ours %v", what, theirs, ours)
	}
	return nil
}

// pointers tells objects apart by identity, without order.
func pointers(objs []any) []string {
	found := make([]string, 0, len(objs))
	for _, o := range objs {
		found = append(found, fmt.Sprintf("%p", o))
	}
	slices.Sort(found)
	return found
}

func inOrder(s []string) []string {
	s = append([]string{}, s...)
	slices.Sort(s)
	return s
}

func (p *pair) compare() error {
	errs := []error{
		same("List", pointers(p.theirs.List()), pointers(p.ours.List())),
		same("ListKeys", inOrder(p.theirs.ListKeys()), inOrder(p.ours.ListKeys())),
		same("version", p.theirs.LastStoreSyncResourceVersion(), p.ours.LastStoreSyncResourceVersion()),
	}
	o := p.object()
	theirs, theyHave, _ := p.theirs.Get(o)
	ours, weHave, _ := p.ours.Get(o)
	errs = append(errs, same("Get", []any{theirs, theyHave}, []any{ours, weHave}))
	_, _, theirErr := p.theirs.Get(keyless{})
	_, _, ourErr := p.ours.Get(keyless{})
	errs = append(errs, same("Get of no key", theirErr, ourErr), same("indexers", len(p.theirs.GetIndexers()), len(p.ours.GetIndexers())))
	for name := range p.indexers {
		values := inOrder(p.theirs.ListIndexFuncValues(name))
		errs = append(errs, same("values of "+name, values, inOrder(p.ours.ListIndexFuncValues(name))))
		for _, value := range append(values, "none") {
			byTheirs, e1 := p.theirs.ByIndex(name, value)
			byOurs, e2 := p.ours.ByIndex(name, value)
			keysTheirs, e3 := p.theirs.IndexKeys(name, value)
			keysOurs, e4 := p.ours.IndexKeys(name, value)
			errs = append(errs, e1, e2, e3, e4,
				same("ByIndex "+name+"="+value, pointers(byTheirs), pointers(byOurs)),
				same("IndexKeys "+name+"="+value, inOrder(keysTheirs), keysOurs))
		}
		byTheirs, e1 := p.theirs.Index(name, o)
		byOurs, e2 := p.ours.Index(name, o)
		errs = append(errs, e1, e2, same("Index "+name, pointers(byTheirs), pointers(byOurs)))
	}
	_, theirErr = p.theirs.ByIndex("unknown", "")
	_, ourErr = p.ours.ByIndex("unknown", "")
	errs = append(errs, same("ByIndex of no index", fmt.Sprint(theirErr), fmt.Sprint(ourErr)))
	return errors.Join(errs...)
}

func TestStoreDifferential(t *testing.T) {
	seeds.Each(t, 200, func(t *testing.T, seed uint64) {
		p := newPair(seed)
		for i := range 60 {
			if err := p.step(); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			if err := p.compare(); err != nil {
				t.Fatalf("after step %d: %v", i, err)
			}
		}
	})
}

// Several goroutines write, each moving the objects of its own namespace from one
// value of an index to another in one transaction: a reader sees all of them on
// one side.
func TestStoreTransactionIsSeenWhole(t *testing.T) {
	const objects, rounds = 10, 200
	s := NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		"side": func(obj any) ([]string, error) {
			o := obj.(*corev1.ConfigMap)
			return []string{o.Namespace + o.Labels["side"]}, nil
		},
	})
	move := func(namespace, side string) {
		var writes []cache.Transaction
		for i := range objects {
			writes = append(writes, cache.Transaction{Type: cache.TransactionTypeUpdate, Object: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
				Namespace: namespace, Name: strconv.Itoa(i), Labels: map[string]string{"side": side},
			}}})
		}
		if err := s.(cache.TransactionStore).Transaction(writes...); err != nil {
			t.Error(err)
		}
	}
	var writers, readers sync.WaitGroup
	var done atomic.Bool
	for _, ns := range []string{"a", "b"} {
		move(ns, "left")
		writers.Go(func() {
			for i := range rounds {
				move(ns, []string{"right", "left"}[i%2])
			}
		})
		readers.Go(func() {
			for !done.Load() {
				for _, side := range []string{"left", "right"} {
					found, err := s.ByIndex("side", ns+side)
					if err != nil || len(found) != 0 && len(found) != objects {
						t.Errorf("%d of %d objects are on the %s: %v", len(found), objects, side, err)
						return
					}
				}
			}
		})
	}
	writers.Wait()
	done.Store(true)
	readers.Wait()
}

func TestStorePanicsOnIndexError(t *testing.T) {
	bad := errors.New("bad object")
	s := NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		"bad": func(obj any) ([]string, error) {
			switch obj.(*corev1.ConfigMap).Name {
			case "error":
				return nil, bad
			case "panic":
				panic(bad)
			}
			return []string{"fine"}, nil
		},
	})
	add := func(name string) (panicked any) {
		defer func() { panicked = recover() }()
		if err := s.Add(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			t.Error(err)
		}
		return nil
	}
	if err, ok := add("error").(error); !ok || !errors.Is(err, bad) {
		t.Errorf("an index error panics with %v, want %v", err, bad)
	}
	if got := add("panic"); got != bad { //nolint:errorlint // the very value that was panicked with
		t.Errorf("an index panic comes out as %v, want %v", got, bad)
	}
	if got := add("fine"); got != nil {
		t.Errorf("the store cannot be written after a panic: %v", got)
	}
	if found, err := s.ByIndex("bad", "fine"); err != nil || len(found) != 1 {
		t.Errorf("found %v %v, want the one good object", found, err)
	}
	if got, want := inOrder(s.ListKeys()), []string{"error", "fine"}; !slices.Equal(got, want) {
		t.Errorf("stored are %v, want %v", got, want)
	}
}

func ExampleNewIndexer() {
	indexer := NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
	})
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "settings"}}
	if err := indexer.Add(o); err != nil {
		panic(err)
	}
	keys, err := indexer.IndexKeys(cache.NamespaceIndex, "team")
	fmt.Println(keys, err)
	// Output: [team/settings] <nil>
}

func ExampleNewStore() {
	s := NewStore(cache.MetaNamespaceKeyFunc, WithTransformer(func(obj any) (any, error) {
		obj.(*corev1.ConfigMap).ManagedFields = nil
		return obj, nil
	}))
	if err := s.Add(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", ResourceVersion: "7"}}); err != nil {
		panic(err)
	}
	_, ok, err := s.GetByKey("settings")
	fmt.Println(ok, err, s.LastStoreSyncResourceVersion())
	// Output: true <nil> 7
}

func ExampleNewThreadSafeStore() {
	s := NewThreadSafeStore(cache.Indexers{}, cache.Indices{})
	s.Add("any key", "any value")
	fmt.Println(s.Get("any key"))
	// Output: any value true
}
