package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// fault is one sort of disturbance.
type fault struct {
	name string
	do   func(*faults, *testing.T)
	// times is how often it happens in a run.
	times int
}

// faults causes disturbances, in an order that its seed decides.
type faults struct {
	rng      *rand.Rand
	plane    *controlplane.Plane
	subjects []*subject
	writer   writer // writes the objects that some faults need

	rounds  int      // the number of calls of forget
	victims []victim // objects that were deleted while nobody could see it
}

// victim is an object that was deleted while no informer was told. owed are the listeners
// that have to learn of the delete nevertheless.
type victim struct {
	subject *subject
	key     cache.ObjectName
	owed    []*listener // who knew it, and must be told once
}

var badLuck = []fault{
	{"cut", (*faults).cut, 5},
	{"flap", (*faults).flap, 3},
	{"dark", (*faults).dark, 2},
	{"compact", (*faults).compact, 3},
	{"crash", (*faults).crash, 2},
	{"forget", (*faults).forget, 3},
}

// order returns all faults of a run in random order.
func (f *faults) order() []fault {
	var all []fault
	for _, f := range badLuck {
		all = append(all, slices.Repeat([]fault{f}, f.times)...)
	}
	f.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// cut breaks the watches of one kind.
func (f *faults) cut(*testing.T) {
	f.subjects[f.rng.IntN(len(f.subjects))].proxy.Cut()
}

// flap breaks them again and again, so that it also interrupts lists.
func (f *faults) flap(*testing.T) {
	for range 8 {
		f.subjects[f.rng.IntN(len(f.subjects))].proxy.Cut()
		time.Sleep(time.Duration(20+f.rng.IntN(200)) * time.Millisecond)
	}
}

// dark keeps one kind from the server for a while.
func (f *faults) dark(*testing.T) {
	s := f.subjects[f.rng.IntN(len(f.subjects))]
	s.proxy.Darken()
	time.Sleep(time.Duration(500+f.rng.IntN(2000)) * time.Millisecond)
	s.proxy.Lighten()
}

// compact makes etcd forget old versions, and breaks the watches that would notice.
func (f *faults) compact(t *testing.T) {
	if _, err := f.plane.Compact(t.Context()); err != nil {
		t.Error(err)
	}
	for _, s := range f.subjects {
		s.proxy.Cut()
	}
}

// crash kills the API server and starts it again.
func (f *faults) crash(t *testing.T) {
	f.plane.KillAPIServer()
	if err := f.plane.StartAPIServer(t.Context()); err != nil {
		t.Error(err)
	}
}

// forget causes deletes that no watch can show to the informers: they happen while the
// connection is cut, and afterwards neither etcd nor the API server remembers them.
func (f *faults) forget(t *testing.T) {
	const each = 20
	f.rounds++
	for _, s := range f.subjects {
		var keys []cache.ObjectName
		for i := range each {
			key := cache.NewObjectName("e2e-0", fmt.Sprintf("victim-%d-%d", f.rounds, i))
			keys = append(keys, key)
			f.write(t, step{s.kind, added, key, 1})
		}
		s.waitKnown(t, keys)
		for _, key := range keys {
			f.victims = append(f.victims, victim{subject: s, key: key, owed: s.present()})
		}
	}
	for _, s := range f.subjects {
		s.proxy.Darken()
	}
	for _, v := range f.victims[len(f.victims)-each*len(f.subjects):] {
		f.write(t, step{v.subject.kind, deleted, v.key, 0})
	}
	if _, err := f.plane.Compact(t.Context()); err != nil {
		t.Error(err)
	}
	f.crash(t)
	for _, s := range f.subjects {
		s.proxy.Lighten()
	}
}

func (f *faults) write(t *testing.T, s step) {
	if err := f.writer.do(t.Context(), s); err != nil {
		t.Error(err)
	}
}
