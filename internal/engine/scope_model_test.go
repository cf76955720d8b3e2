package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// scopedTraits are those of things whose name begins with a namespace.
var scopedTraits = store.Traits[faulty.Thing]{
	Key: func(t faulty.Thing) (delta.Key, error) {
		if t.Name == "" {
			return delta.Key{}, faulty.ErrNoName
		}
		return delta.ParseKey(t.Name), nil
	},
	Version: thingTraits.Version, UID: thingTraits.UID, Labels: thingTraits.Labels,
}

// province is a faulty server that rules one scope. That of the rest has two
// namespaces and things without; and what it shows of namespace p is not its own.
type province struct {
	*faulty.Server
	reach reach
}

// place is the name that the informer knows a thing by.
func (p province) place(obj faulty.Thing) faulty.Thing {
	switch {
	case obj.Name == "":
	case p.reach.namespace != "":
		obj.Name = p.reach.namespace + "/" + obj.Name
	case obj.Name < "c":
		obj.Name = "x/" + obj.Name
	case obj.Name < "e":
		obj.Name = "y/" + obj.Name
	case obj.Name == "h":
		obj.Name = "p/" + obj.Name
	}
	return obj
}

// shown is what of the server's world the informer is to show.
func (p province) shown() map[delta.Key]string {
	world := map[delta.Key]string{}
	for name, version := range p.World() {
		key := delta.ParseKey(p.place(faulty.Thing{Name: name, Version: version}).Name)
		if p.reach.has(key.Namespace) {
			world[key] = version
		}
	}
	return world
}

func (p province) List(ctx context.Context, opts metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	page, err := p.Server.List(ctx, opts)
	for i, obj := range page.Items {
		page.Items[i] = p.place(obj)
	}
	return page, err
}

func (p province) Watch(ctx context.Context, opts metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	stream, err := p.Server.Watch(ctx, opts)
	if err != nil {
		return nil, err
	}
	return provinceWatch{stream, p}, nil
}

type provinceWatch struct {
	listwatch.Stream[faulty.Thing]
	of province
}

func (w provinceWatch) Next(ctx context.Context) (listwatch.Event[faulty.Thing], error) {
	event, err := w.Stream.Next(ctx)
	if !event.IsBookmark() {
		event.New = w.of.place(event.New)
	}
	return event, err
}

// exile is a rebuilder that also hears of scopes that go.
type exile struct {
	rebuilder
	silent *sync.Map // namespaces whose objects it may know although they have gone; shared
	exiled int
}

func (o *exile) hear(d *delta.Delta[faulty.Thing]) {
	if d.Op == delta.OutOfScope {
		o.exiled++
		if known, there := o.world[d.Key]; !there || d.Old != known || d.New != (faulty.Thing{}) {
			o.t.Errorf("%s: %s is out of scope and was %s, but it was told of %q", o.name, d.Key, d.Old, known)
		}
		delete(o.world, d.Key)
		return
	}
	if _, silent := o.silent.Load(d.Key.Namespace); silent && d.Op == delta.Added {
		delete(o.world, d.Key)
	}
	o.tell(d)
}

// TestScopesSurvive plays random faults against an informer whose scopes come and
// go, with early, late, slow and resyncing subscribers, and a scope that
// is forbidden. In the end the store, the subscribers and the servers of the scopes
// that are there agree, and nothing is left of the others.
func TestScopesSurvive(t *testing.T) {
	seeds.Each(t, heavySeeds, func(t *testing.T, seed uint64) {
		synctest.Test(t, func(t *testing.T) {
			(&empire{t: t, rng: rand.New(rand.NewPCG(seed, 2))}).play()
		})
	})
}

// empire is one world. In a whole one a single scope has everything and stays. Its subscribers
// leave, and it is shown and listed again.
type empire struct {
	t         *testing.T
	rng       *rand.Rand
	whole     bool
	group     *lifecycle.Group
	provinces []province
	informer  *Informer[faulty.Thing]
	forbidden bool // namespace z is a scope, and degraded
	silent    sync.Map
	watching  map[*exile]*Subscription[faulty.Thing]
	gone      []*Inlet[faulty.Thing] // of removed scopes
	late      int
}

func (e *empire) play() {
	e.watching = map[*exile]*Subscription[faulty.Thing]{}
	var start []Scope[faulty.Thing]
	realm := []reach{{namespace: "p"}, {namespace: "q"}, {except: []string{"p", "q", "z"}}}
	if e.whole {
		realm = []reach{{}}
	}
	for _, within := range realm {
		requests := rand.New(rand.NewPCG(e.rng.Uint64(), 0))
		p := province{reach: within, Server: faulty.New(e.t, requests, 10+e.rng.Int64N(100))}
		e.provinces = append(e.provinces, p)
		if e.whole || e.rng.IntN(3) > 0 {
			start = append(start, e.scopeOf(p))
		}
	}
	if e.forbidden = !e.whole && (e.rng.IntN(3) == 0 || len(start) == 0); e.forbidden {
		start = append(start, Scope[faulty.Thing]{Namespace: "z", ListWatcher: forbidden{}})
	}
	settled := e.rng.IntN(2) == 1
	var err error
	e.informer, err = NewScoped(start, Options[faulty.Thing]{
		Name: "things", Traits: scopedTraits, WhenSettled: settled,
		Reflector: reflector.Options[faulty.Thing]{
			OnSkip:   func(context.Context, error) {},
			Limiter:  reflector.NewLimiter(1 + e.rng.IntN(3)),
			Settings: informer.Settings{Lists: informer.ListMode(1 + e.rng.IntN(2)), PageSize: e.rng.Int64N(4)},
		},
		ShowUnchanged: e.rng.IntN(2) == 1,
	})
	if err != nil {
		e.t.Fatal(err)
	}
	e.subscribe("early", informer.SubscribeOptions{}, nil)
	e.subscribe("slow", informer.SubscribeOptions{HighWater: 1 + e.rng.Uint64N(4)}, func() time.Duration { return 10 * time.Second })
	e.subscribe("resyncing", informer.SubscribeOptions{Resync: resync.Policy{Period: 30 * time.Second, Spread: resync.Spread(e.rng.IntN(3))}}, nil)
	if e.whole {
		e.checkFirstSight()
	}
	e.group = lifecycle.New(e.t.Context())
	e.group.Go("informer", e.informer.Run)
	for range 80 {
		e.step()
		time.Sleep(time.Duration(e.rng.IntN(20_000))*time.Millisecond + time.Microsecond)
	}
	for _, p := range e.provinces {
		p.Cease()
	}
	if e.whole {
		e.setResync(resync.Policy{Period: resync.Never})
	}
	time.Sleep(4 * time.Hour) // the slow ones need it
	synctest.Wait()
	e.group.Stop() // those who are resynced are never done
	if err := e.group.Wait(); err != nil {
		e.t.Error(err)
	}
	e.compare(settled)
}

func (e *empire) scopeOf(p province) Scope[faulty.Thing] {
	scope := Scope[faulty.Thing]{Namespace: p.reach.namespace, Except: p.reach.except, ListWatcher: p}
	if e.rng.IntN(2) == 0 {
		scope.Resync = resync.Policy{Period: time.Duration(1+e.rng.IntN(3)) * time.Minute}
	}
	return scope
}

func (e *empire) step() {
	p := e.provinces[e.rng.IntN(len(e.provinces))]
	p.Change(e.rng)
	switch action := e.rng.IntN(20); {
	case action == 0:
		p.Mishap(e.rng)
	case e.whole && action < 3:
		e.comeOrGo()
	case e.whole && action < 5 && e.informer.Started():
		e.again()
	case e.whole:
	case action < 3:
		e.addOrRemove(p)
	case action == 3:
		if e.late < 4 {
			e.comeLate()
		}
	case action == 4:
		for _, in := range e.gone {
			stray := faulty.Thing{Name: in.reach.namespace + "/stray", Version: "99999"}
			_ = in.Push(delta.Delta[faulty.Thing]{Op: delta.Added, New: stray, Version: "99999"}, "99999")
			_ = in.Replace([]faulty.Thing{stray}, reflector.Replacement{Version: "99999", Keys: []delta.Key{delta.ParseKey(stray.Name)}})
			_ = in.Bookmark("99999")
		}
	}
}

func (e *empire) comeLate() {
	e.late++
	pause := time.Duration(e.late) * time.Second
	e.subscribe(fmt.Sprint("late ", e.late), informer.SubscribeOptions{}, func() time.Duration { return pause })
}

// sample is a namespace of the scope.
func (p province) sample() string {
	if p.reach.namespace == "" {
		return "x"
	}
	return p.reach.namespace
}

func (e *empire) addOrRemove(p province) {
	i := e.informer
	s := i.coverage.Load().called(p.reach.namespace)
	if s == nil {
		if err := i.SyncedIn(p.sample()); !errors.Is(err, informer.ErrNotCovered) {
			e.t.Errorf("asked about %s, which is not covered: %v", p.reach, err)
		}
		if err := i.AddScope(e.scopeOf(p)); err != nil {
			e.t.Error(err)
		}
		return
	}
	if err := i.AddScope(e.scopeOf(p)); !errors.Is(err, ErrOverlap) || !strings.Contains(err.Error(), "there is one of "+p.reach.String()+" already") {
		e.t.Errorf("%s was added twice: %v", p.reach, err)
	}
	how := informer.Removal(1 + e.rng.IntN(2))
	if how == informer.Silently {
		for _, namespace := range []string{p.sample(), "y", ""} {
			if p.reach.has(namespace) {
				e.silent.Store(namespace, true)
			}
		}
	}
	if err := i.RemoveScope(p.reach.namespace, how); err != nil {
		e.t.Error(err)
	}
	e.gone = append(e.gone, s.inlet)
	if err := i.SyncedIn(p.sample()); !errors.Is(err, informer.ErrNotCovered) {
		e.t.Errorf("after %s was removed, SyncedIn is %v", p.reach, err)
	}
	for key := range i.Store().View().All() {
		if p.reach.has(key.Namespace) {
			e.t.Errorf("%s is in the store after %s was removed", key, p.reach)
		}
	}
	if err := i.RemoveScope(p.reach.namespace, how); !errors.Is(err, informer.ErrNotCovered) {
		e.t.Errorf("%s was removed twice: %v", p.reach, err)
	}
	if open := p.Watches(); open != 0 {
		e.t.Errorf("%d watches of %s were not closed", open, p.reach)
	}
}

func (e *empire) subscribe(name string, opts informer.SubscribeOptions, pause func() time.Duration) {
	o := &exile{rebuilder: rebuilder{t: e.t, name: name, pause: pause, world: map[delta.Key]faulty.Thing{}}, silent: &e.silent}
	opts.Name = name
	s, err := e.informer.Subscribe(o.hear, opts)
	if err != nil {
		e.t.Fatal(err)
	}
	e.watching[o] = s
}
