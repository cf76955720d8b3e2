package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/internal/store"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

var thingTraits = store.Traits[faulty.Thing]{
	Key:     faulty.KeyOf,
	Version: func(t faulty.Thing) string { return t.Version },
	UID:     func(faulty.Thing) string { return "" },
	Labels:  func(faulty.Thing) map[string]string { return nil },
}

// rebuilder rebuilds the world from what it is told, and complains when it is told
// something that does not follow from what it was told before.
type rebuilder struct {
	t      *testing.T
	name   string
	pause  func() time.Duration // in each call
	world  map[delta.Key]faulty.Thing
	synced bool // the initial objects are over
	syncs  int
	deltas int
}

func (o *rebuilder) tell(d *delta.Delta[faulty.Thing]) {
	if o.pause != nil {
		if pause := o.pause(); pause > 0 {
			time.Sleep(pause)
		}
	}
	o.deltas++
	known, there := o.world[d.Key]
	switch d.Op {
	case delta.Added:
		if there {
			o.t.Errorf("%s: %s was added, but it was told of %s before", o.name, d.New, known)
		}
		if d.Initial && o.synced {
			o.t.Errorf("%s: %s is marked initial after the first list", o.name, d.New)
		}
	case delta.Updated, delta.Deleted:
		if !there || d.Old != known {
			o.t.Errorf("%s: %s of %s says it was %s, but it was told of %q", o.name, d.Op, d.Key, d.Old, known)
		}
	case delta.Sync:
		o.syncs++
		if !there || d.New != known || d.Old != known {
			o.t.Errorf("%s: sync shows %s, but it was told of %q", o.name, d.New, known)
		}
	default:
		o.t.Errorf("%s: was told %s", o.name, d.Op)
	}
	if d.Op == delta.Deleted {
		delete(o.world, d.Key)
	} else {
		o.world[d.Key] = d.New
	}
}

func (o *rebuilder) rename() map[string]string {
	world := map[string]string{}
	for key, obj := range o.world {
		world[key.Name] = obj.Version
	}
	return world
}

// TestInformerSurvives plays random faults of a server against an informer with
// early, late, slow, resyncing and leaving subscribers. Each rebuilds the
// world from its deltas; an hour after the last fault all of them, the store and
// the server agree.
func TestInformerSurvives(t *testing.T) {
	seeds.Each(t, heavySeeds, func(t *testing.T, seed uint64) {
		synctest.Test(t, func(t *testing.T) {
			(&rig{t: t, rng: rand.New(rand.NewPCG(seed, 1))}).play()
		})
	})
}

type rig struct {
	t        *testing.T
	rng      *rand.Rand
	server   *faulty.Server
	informer *Informer[faulty.Thing]
	watching map[*rebuilder]*Subscription[faulty.Thing]
	late     int

	relists  int // asked for
	relisted atomic.Int64
}

func (r *rig) play() {
	requests := rand.New(rand.NewPCG(r.rng.Uint64(), 0))
	r.server = faulty.New(r.t, requests, 10)
	r.watching = map[*rebuilder]*Subscription[faulty.Thing]{}
	r.informer = New(r.server, Options[faulty.Thing]{
		Name:   "things",
		Traits: thingTraits,
		Reflector: reflector.Options[faulty.Thing]{
			OnSkip:   func(context.Context, error) {},
			Settings: informer.Settings{Lists: informer.ListMode(1 + r.rng.IntN(2)), PageSize: r.rng.Int64N(4)},
		},
		Unchanged: Unchanged(r.rng.IntN(2)),
	})
	r.subscribe("early", informer.SubscribeOptions{}, nil)
	r.subscribe("slow", informer.SubscribeOptions{HighWater: 1 + r.rng.Uint64N(4)}, func() time.Duration { return 10 * time.Second })
	r.subscribe("resyncing", informer.SubscribeOptions{Resync: resync.Policy{Period: 30 * time.Second, Spread: resync.Spread(r.rng.IntN(3))}}, nil)
	r.checkFirstSight()
	g := lifecycle.New(r.t.Context())
	g.Go("informer", r.informer.Run)
	for range 60 {
		r.server.Change(r.rng)
		if r.rng.IntN(20) == 0 {
			r.server.Mishap(r.rng)
		}
		if r.rng.IntN(8) == 0 {
			r.comeOrGo()
		}
		if r.informer.Started() && r.rng.IntN(8) == 0 {
			r.again(g)
		}
		time.Sleep(time.Duration(r.rng.IntN(20_000))*time.Millisecond + time.Microsecond)
	}
	r.server.Cease()
	if err := r.informer.SetResync(resync.Policy{Period: resync.Never}); err != nil {
		r.t.Error(err)
	}
	time.Sleep(3 * time.Hour) // the slow ones need it
	synctest.Wait()
	r.compare()
	g.Stop()
	if err := g.Wait(); err != nil {
		r.t.Error(err)
	}
}

func (r *rig) subscribe(name string, opts informer.SubscribeOptions, pause func() time.Duration) {
	o := &rebuilder{t: r.t, name: name, pause: pause, world: map[delta.Key]faulty.Thing{}}
	opts.Name = name
	s, err := r.informer.Subscribe(o.tell, opts)
	if err != nil {
		r.t.Fatal(err)
	}
	r.watching[o] = s
}

// checkFirstSight makes sure that the first list is there when Synced wakes somebody.
func (r *rig) checkFirstSight() {
	go func() {
		select {
		case <-r.informer.Synced():
		case <-r.t.Context().Done():
			return
		}
		if r.informer.Store().Version() == "" {
			r.t.Error("synced before the first list is in the store")
		}
	}()
}

// comeOrGo adds a late subscriber or takes one away.
func (r *rig) comeOrGo() {
	if r.late < 4 {
		r.late++
		pause := time.Duration(r.late) * time.Second
		slow := func() time.Duration { return pause }
		r.subscribe(fmt.Sprint("late ", r.late), informer.SubscribeOptions{}, slow)
		return
	}
	for o, s := range r.watching {
		r.informer.Unsubscribe(s)
		<-s.Done()
		told := o.deltas
		time.Sleep(time.Minute)
		synctest.Wait()
		if o.deltas != told {
			r.t.Errorf("%s was told something after it had left", o.name)
		}
		delete(r.watching, o)
		return
	}
}

// again has something shown or listed again.
func (r *rig) again(g *lifecycle.Group) {
	switch r.rng.IntN(3) {
	case 0:
		if err := r.informer.Resync(nil); err != nil && !errors.Is(err, informer.ErrNotSynced) {
			r.t.Error(err)
		}
	case 1:
		policy := resync.Policy{Period: time.Duration(1+r.rng.IntN(90)) * time.Second, Spread: resync.Spread(r.rng.IntN(3)), Rate: float64(r.rng.IntN(3))}
		if err := r.informer.SetResync(policy); err != nil {
			r.t.Error(err)
		}
	default:
		r.relists++
		g.Guest("relist", func(ctx context.Context) {
			if err := r.informer.Relist(ctx); err != nil {
				r.t.Error(err)
			}
			r.relisted.Add(1)
		})
	}
}

func (r *rig) compare() {
	if done := int(r.relisted.Load()); done != r.relists {
		r.t.Errorf("%d relists have come to an end, %d were asked for", done, r.relists)
	}

	want := fmt.Sprint(r.server.World())
	status := r.informer.Status()
	shown := map[string]string{}
	for _, obj := range r.informer.Store().List() {
		shown[obj.Name] = obj.Version
	}
	if got := fmt.Sprint(shown); got != want {
		r.t.Errorf("the store shows\n%s, the server\n%s\n%s", got, want, status.Reflector.Why)
	}
	for o, s := range r.watching {
		if got := fmt.Sprint(o.rename()); got != want {
			r.t.Errorf("%s has been told of\n%s, the server has\n%s", o.name, got, want)
		}
		select {
		case <-s.Synced():
		default:
			r.t.Errorf("%s is not synced", o.name)
		}
		if o.name == "resyncing" && o.syncs == 0 && len(r.server.World()) > 0 {
			r.t.Error("nothing was resynced in three hours")
		}
	}
	if status.Version != r.server.At() {
		r.t.Errorf("the store says it is at version %s, the server is at %s", status.Version, r.server.At())
	}
}
