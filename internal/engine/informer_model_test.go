package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/store"
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

// TestInformerSurvives plays random faults of a server against an informer with
// early, late, slow, resyncing and leaving subscribers. Each rebuilds the
// world from its deltas; hours after the last fault all of them, the store and
// the server agree.
func TestInformerSurvives(t *testing.T) {
	seeds.Each(t, heavySeeds, func(t *testing.T, seed uint64) {
		synctest.Test(t, func(t *testing.T) {
			(&empire{t: t, rng: rand.New(rand.NewPCG(seed, 1)), whole: true}).play()
		})
	})
}

// checkFirstSight makes sure that the first list is there when Synced wakes somebody.
func (e *empire) checkFirstSight() {
	go func() {
		select {
		case <-e.informer.Synced():
		case <-e.t.Context().Done():
			return
		}
		if e.informer.Store().Version() == "" {
			e.t.Error("synced before the first list is in the store")
		}
	}()
}

// comeOrGo adds a late subscriber or takes one away.
func (e *empire) comeOrGo() {
	if e.late < 4 {
		e.comeLate()
		return
	}
	for o, s := range e.watching {
		e.informer.Unsubscribe(s)
		<-s.Done()
		told := o.deltas
		time.Sleep(time.Minute)
		synctest.Wait()
		if o.deltas != told {
			e.t.Errorf("%s was told something after it had left", o.name)
		}
		delete(e.watching, o)
		return
	}
}

// again has something shown or listed again. A relist that has not ended when the informer
// stops is an error.
func (e *empire) again() {
	switch e.rng.IntN(3) {
	case 0:
		if err := e.informer.Resync(nil); err != nil && !errors.Is(err, informer.ErrNotSynced) {
			e.t.Error(err)
		}
	case 1:
		e.setResync(resync.Policy{Period: time.Duration(1+e.rng.IntN(90)) * time.Second, Spread: resync.Spread(e.rng.IntN(3)), Rate: float64(e.rng.IntN(3))})
	default:
		e.group.Guest("relist", func(ctx context.Context) {
			if err := e.informer.Relist(ctx); err != nil {
				e.t.Error(err)
			}
		})
	}
}

func (e *empire) setResync(policy resync.Policy) {
	for _, s := range e.informer.Status().Scopes {
		if err := e.informer.SetScopeResync(s.Namespace, policy); err != nil {
			e.t.Error(err)
		}
	}
}
