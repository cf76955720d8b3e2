package managed

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// noted is a cache or a controller that knows its journal.
type noted struct {
	observe.Cache // none: a Runtime asks it for nothing else
	in            atomic.Pointer[journal.Journal]
}

func (n *noted) Record(in *journal.Journal) { n.in.Store(in) }

// running is a controller, what it knows, and how it ends.
type running struct {
	is    *observe.Controller
	notes *noted
	end   func()
}

func run(r *Runtime) running {
	n := &noted{}
	is := &observe.Controller{Record: n.Record}
	return running{is, n, r.Reconciles(is)}
}

// TestRuntime starts, ends and records at random. The model is what runs and the journal, and each of what runs has that
// journal.
func TestRuntime(t *testing.T) {
	seeds.Run(t, 100, func(t *testing.T, rng *rand.Rand) {
		r := New()
		var in *journal.Journal
		var cache observe.Cache
		var all []running
		endCache, endRecord := func() {}, func() {}
		for range 100 {
			switch n := rng.IntN(6); {
			case n == 0 && cache != nil:
				endCache()
				cache = nil
			case n == 0:
				cache = &noted{}
				endCache = r.Runs(cache)
			case n == 1 && in != nil:
				endRecord()
				in = nil
			case n == 1:
				in = journal.New(journal.Limits{})
				endRecord = r.Record(in)
			case n > 3 && len(all) > 0:
				i := rng.IntN(len(all))
				all[i].end()
				all = slices.Delete(all, i, i+1)
			default:
				all = append(all, run(r))
			}
			compare(t, r, world{cache, all, in})
		}
		endCache()
		for _, c := range all {
			c.end()
		}
		compare(t, r, world{in: in})
	})
}

// world is what runs.
type world struct {
	cache observe.Cache
	all   []running
	in    *journal.Journal
}

// compare checks that a Runtime shows what runs, and that each has the journal.
func compare(t *testing.T, r *Runtime, w world) {
	t.Helper()
	cache, all, in := w.cache, w.all, w.in
	if r.Cache() != cache || !slices.EqualFunc(r.Controllers(), all, func(got *observe.Controller, want running) bool { return got == want.is }) {
		t.Fatalf("the cache %v and %d controllers are shown, want %v and %d in their order", r.Cache(), len(r.Controllers()), cache, len(all))
	}
	if slices.Contains(Live(), r) != (cache != nil || len(all) > 0) {
		t.Fatalf("with the cache %v and %d controllers it is live: %v", cache, len(all), slices.Contains(Live(), r))
	}
	if cache != nil && cache.(*noted).in.Load() != in {
		t.Fatal("the cache has another journal")
	}
	for i, c := range all {
		if c.notes.in.Load() != in {
			t.Fatalf("controller %d has another journal", i)
		}
	}
}

// TestNoneIsLeftOutOfAJournal starts a cache and controllers while a journal is recorded, and others come and go.
// Whichever comes first: in the end each has the journal. What somebody has been shown does not change meanwhile.
func TestNoneIsLeftOutOfAJournal(t *testing.T) {
	const many = 100
	for range 20 {
		r, in := New(), journal.New(journal.Limits{})
		cache := &noted{}
		stay := make([]running, many)
		var tasks sync.WaitGroup
		tasks.Go(func() {
			r.Runs(cache)
			if r.Cache() != observe.Cache(cache) {
				t.Error("the cache runs and is not shown")
			}
		})
		tasks.Go(func() {
			for range 10 {
				r.Record(journal.New(journal.Limits{}))()
			}
			r.Record(in)
		})
		for i := range stay {
			tasks.Go(func() {
				stay[i] = run(r)
				shown := r.Controllers()
				before := slices.Clone(shown)
				run(r).end()
				if !slices.Contains(shown, stay[i].is) || !slices.Equal(shown, before) {
					t.Error("a controller that runs is not shown, or what was shown has changed")
				}
			})
		}
		tasks.Wait()
		if got := len(r.Controllers()); got != many {
			t.Fatalf("%d controllers run, want %d", got, many)
		}
		for _, c := range stay {
			if c.notes.in.Load() != in {
				t.Fatal("a controller has another journal, or none")
			}
			c.end()
		}
		if cache.in.Load() != in || len(r.Controllers()) != 0 {
			t.Fatalf("the cache has the journal: %v, and %d controllers are left", cache.in.Load() == in, len(r.Controllers()))
		}
	}
}

// part is a part of a manager that knows its Runtime.
type part struct{ of *Runtime }

func (p part) Runtime() Handle { return p.of.Handle() }

func TestOf(t *testing.T) {
	mine, other := New(), New()
	for name, c := range map[string]struct {
		parts []any
		want  *Runtime
	}{
		"nothing":                 {nil, nil},
		"nobody knows":            {[]any{nil, t}, nil},
		"the first":               {[]any{part{mine}, part{other}}, mine},
		"the first is wrapped":    {[]any{t, part{mine}}, mine},
		"the first has none":      {[]any{part{}, part{mine}}, mine},
		"a wrapper passes it on":  {[]any{struct{ part }{part{mine}}}, mine},
		"a wrapper that hides it": {[]any{struct{ any }{part{mine}}}, nil},
	} {
		if got := Of(c.parts...); got != c.want {
			t.Errorf("%s: it is %p, want %p", name, got, c.want)
		}
	}
}
