package journal

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// chase is a follower with what it was shown.
type chase struct {
	f           *Follower
	want        Filter
	taken       []uint64
	lost, first uint64 // first: what was there when it began
	slack       uint64 // how many too many it hears of, because it began after one that is gone
}

// TestFollowersAgainstModel has followers of several filters take at random paces. Each delta that is
// noted after they begin is taken or gone, and they hear how many are gone.
func TestFollowersAgainstModel(t *testing.T) {
	seeds.Run(t, 100, func(t *testing.T, rng *rand.Rand) {
		limits := Limits{Deltas: 1 + rng.IntN(20), Calls: 5, Bytes: int64(20_000 + rng.IntN(100_000))}
		s := &script{T: t, rng: rng, journal: New(limits), states: map[delta.Key]*corev1.Pod{}, model: &model{limits: limits}}
		var all []*chase
		for range 60 {
			switch rng.IntN(8) {
			case 0:
				all = append(all, s.chase())
			case 1:
				s.noteCall()
			case 2:
				s.journal.measure()
				s.model.measure()
			case 3, 4, 5:
				s.noteDeltas()
			default:
				for _, c := range all {
					c.take(t, 1+rng.IntN(8))
				}
			}
		}
		for _, c := range all {
			for c.take(t, 5) {
			}
			s.judge(c)
			c.f.Close()
		}
		if len(s.journal.followers.now()) > 0 {
			t.Error("a follower is left")
		}
	})
}

func (s *script) chase() *chase {
	c := &chase{want: Filter{
		Kind: s.pick("", "a"), Namespace: s.pick("", "", "red"), Name: s.pick("", "", "a"), Op: s.op(), Manager: s.pick("", "", "kubectl"),
	}}
	c.first = s.model.last
	if back := s.rng.IntN(3); back > 0 && c.first > 0 {
		c.first = 1 + uint64(s.rng.Int64N(int64(c.first)))
		c.want.Since = c.first
	}
	c.f = s.journal.Follow(c.want)
	if c.want.Since > 0 {
		for _, kind := range []string{"a", "b", "c"} {
			for of := range classes {
				if c.lane(&record{class: of, entry: &Entry{Kind: kind}}) {
					c.slack += s.model.unknown("kind "+kind, of, c.want.Since)
				}
			}
		}
	}
	if c.want.Since == 0 { // from the oldest that there is
		c.first = 0
		for _, r := range s.model.all {
			if r.gone {
				r.before = append(r.before, c)
			}
		}
	}
	return c
}

func (c *chase) take(t *testing.T, most int) bool {
	select {
	case <-c.f.Ready():
	default:
	}
	taken, lost := c.f.Take(most)
	for i := range taken {
		c.taken = append(c.taken, taken[i].ID)
	}
	c.lost += lost
	if len(taken) == most {
		select {
		case <-c.f.Ready():
			c.f.ring()
		default:
			t.Error("there may be more, and it is not ready")
		}
	}
	return len(taken) == most
}

// judge compares with what the model has. A follower that wants all of a lane hears exactly how many are gone. Others may also
// hear of those that they do not want.
func (s *script) judge(c *chase) {
	var taken []uint64
	least, most := uint64(0), c.slack
	for _, r := range s.model.all {
		if !c.lane(r) || r.id <= c.first || slices.Contains(r.before, c) {
			continue
		}
		e := r.entry
		fits := cmp.Or(c.want.Op, e.Delta.Op) == e.Delta.Op && cmp.Or(c.want.Namespace, e.Delta.Key.Namespace) == e.Delta.Key.Namespace &&
			cmp.Or(c.want.Name, e.Delta.Key.Name) == e.Delta.Key.Name && cmp.Or(c.want.Manager, e.Manager()) == e.Manager()
		switch has := slices.Contains(c.taken, r.id); {
		case has && fits:
			taken = append(taken, r.id)
		case has:
			s.Errorf("%+v was shown %d, which it does not want", c.want, r.id)
		case r.gone:
			if most++; fits {
				least++
			}
		case fits:
			s.Errorf("%+v was not shown %d, which is there", c.want, r.id)
		}
	}
	s.same(fmt.Sprintf("deltas of %+v", c.want), c.taken, taken)
	if c.want.Namespace == "" && c.want.Name == "" && c.want.Manager == "" && (c.want.Op == 0 || c.want.Op == delta.Sync) {
		least = most
	}
	if c.lost < least || c.lost > most {
		s.Errorf("%+v has lost %d, and should have lost %d to %d", c.want, c.lost, least, most)
	}
}

// lane reports whether something is of a kind and a class in which there may be what is wanted.
func (c *chase) lane(r *record) bool {
	return r.entry != nil && cmp.Or(c.want.Kind, r.entry.Kind) == r.entry.Kind && (c.want.Op == 0 || (c.want.Op == delta.Sync) == (r.class == shown))
}

// unknown is how many more of a lane count as gone after a delta that is gone itself, because only the last number is known.
func (m *model) unknown(kind string, of class, since uint64) uint64 {
	var all, after, last uint64
	for _, r := range m.all {
		if r.gone && r.class == of && r.book == kind {
			all, last = all+1, r.id
			if r.id > since {
				after++
			}
		}
	}
	return min(all, max(last, since)-since) - after
}

// TestAFollowerThatIsFarBehind goes on after a delta that nobody remembers.
func TestAFollowerThatIsFarBehind(t *testing.T) {
	j := New(Limits{Deltas: 10})
	kind, other := j.Kind("pods", podKind), j.Kind("others", podKind)
	const all = 1500
	for i := range all {
		note(kind, added(fmt.Sprint(i), 0))
	}
	for since, want := range map[uint64]uint64{5: all - 15, all - 20: 10, all - 10: 0, all - 5: 0, 2 * all: 0} {
		f := j.Follow(Filter{Kind: "pods", Since: since})
		taken, lost := f.Take(100)
		if lost != want || uint64(len(taken)) != min(10, max(since, all)-since) {
			t.Errorf("after %d there are %d, and %d are lost, want %d", since, len(taken), lost, want)
		}
		f.Close()
	}
	f := j.Follow(Filter{Kind: "pods", Name: "1", Since: 5})
	defer f.Close()
	if _, lost := f.Take(100); lost != all-15 {
		t.Errorf("%d are lost that may have been wanted", lost)
	}
	note(other, added("a", 0))
	if _, lost := f.Take(100); lost != 0 {
		t.Errorf("of another kind %d are lost", lost)
	}
}

// TestAFollowerKeepsNothingAlive has one that does not take, or took long ago.
func TestAFollowerKeepsNothingAlive(t *testing.T) {
	const megabyte = 1 << 20
	j := New(Limits{Bytes: 4 * megabyte})
	kind := j.Kind("pods", podKind)
	f := j.Follow(Filter{})
	defer f.Close()
	var all []weak.Pointer[corev1.Pod]
	for i := range 64 {
		d := added(fmt.Sprint(i), megabyte)
		all = append(all, weak.Make(d.New.(*corev1.Pod)))
		note(kind, d)
		if i == 0 {
			if taken, _ := f.Take(1); len(taken) != 1 {
				t.Fatal("nothing was taken")
			}
		}
	}
	j.measure()
	alive := func() (n int) {
		runtime.GC()
		for _, p := range all {
			if p.Value() != nil {
				n++
			}
		}
		return n
	}
	await.Until(t, "at most 4 objects of 1 MiB to be alive, because the limit is 4 MiB", func() bool { return alive() <= 4 })
	if alive() == 0 {
		t.Error("no object is alive")
	}
	runtime.KeepAlive(f)
}

// TestAFollowerHasTheOrderOfTheNumbers has a writer that goes from kind to kind, as Take does.
func TestAFollowerHasTheOrderOfTheNumbers(t *testing.T) {
	j := New(Limits{Deltas: 1 << 16})
	g := lifecycle.New(t.Context())
	const kinds, each = 64, 500
	for i := range kinds {
		j.Kind(fmt.Sprintf("%03d", i), podKind)
	}
	f := j.Follow(Filter{})
	defer f.Close()
	g.Guest("note", func(context.Context) {
		all, d := j.kindsNamed(""), added("a", 0)
		for range each {
			for _, kind := range all {
				note(kind, d)
			}
		}
	})
	var last uint64
	for n := 0; n < kinds*each; {
		<-f.Ready()
		taken, lost := f.Take(100)
		for i := range taken {
			if taken[i].ID <= last || lost > 0 {
				t.Fatalf("%d comes after %d, and %d are lost", taken[i].ID, last, lost)
			}
			last = taken[i].ID
		}
		n += len(taken)
	}
	g.Stop()
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}
