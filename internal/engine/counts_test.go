package engine

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Counts say how often and why the server was listed.
func TestCounts(t *testing.T) {
	withCrowd(t, 100, resync.Policy{}, func(r *resyncRig) {
		t := r.T // of the bubble
		for range 2 {
			synctest.Wait() // until there is a watch: who asks sooner has it left out
			if err := r.Relist(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		got := r.Counts()
		for reason, lists := range got.Reflector.Each {
			want := map[reflector.Reason]uint64{reflector.First: 1, reflector.Requested: 2}[reason]
			if lists != want {
				t.Errorf("%d lists for %v, want %d", lists, reason, want)
			}
		}
		if got.Reflector.Watches != 3 || got.Processed.Count() == 0 {
			t.Errorf("%d watches brought %d batches, want 3 with some", got.Reflector.Watches, got.Processed.Count())
		}
		if got.Oldest != 0 {
			t.Errorf("a delta has waited for %v, and none is left", got.Oldest)
		}
	})
}

// No count falls when a scope goes, and none counts it twice.
func TestCountsOfScopesThatAreGone(t *testing.T) {
	withScopes(t, Options[faulty.Thing]{}, pAndQ, func(t *testing.T, i *Informer[faulty.Thing]) {
		i.coverage.Load().called("p").reflector.Skip(t.Context(), errors.New("a test leaves it out"))
		before := i.Counts().Reflector
		if before.Lists[reflector.First] != 2 || before.Watches < 2 || before.Skipped != 1 {
			t.Fatalf("two scopes count %+v", before)
		}
		for _, namespace := range []string{"p", "q"} {
			if err := i.RemoveScope(namespace, informer.Silently); err != nil {
				t.Fatal(err)
			}
			if after := i.Counts().Reflector; after != before {
				t.Errorf("without %s the counts are %+v, and were %+v", namespace, after, before)
			}
		}
		if err := i.AddScope(scopeOf(t, reach{namespace: "p"})); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if after := i.Counts().Reflector; after.Lists[reflector.First] != 3 || after.Skipped != 1 || after.Watches <= before.Watches {
			t.Errorf("with p again the counts are %+v, and were %+v", after, before)
		}
	})
}

// slowWitness takes a second for each batch.
type slowWitness struct{}

func (slowWitness) Begin()                         { time.Sleep(time.Second) }
func (slowWitness) Add(*delta.Delta[faulty.Thing]) {}
func (slowWitness) End()                           {}

// A batch is processed when subscribers can be told.
func TestProcessedIsUntilPublished(t *testing.T) {
	opts := Options[faulty.Thing]{Witness: func() Witness[faulty.Thing] { return slowWitness{} }}
	withScopes(t, opts, pAndQ, func(t *testing.T, i *Informer[faulty.Thing]) {
		time.Sleep(time.Minute)
		got := i.Counts()
		if n := got.Processed.Count(); n == 0 || got.Processed.Sum != n*uint64(time.Second) {
			t.Errorf("%d batches took %v, want a second each", n, time.Duration(got.Processed.Sum)) //nolint:gosec // some seconds
		}
	})
}

// A delta that nobody can see yet grows old.
func TestTheOldestDelta(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewDeltaFIFO(&Options[note]{Traits: noteTraits}, store.New(noteTraits, nil))
		in := f.Open("", nil, nil)
		at := time.Now()
		for _, name := range []string{"a", "b"} {
			d := delta.Delta[note]{Op: delta.Added, New: note{name: name, version: "1"}, Version: "1", Seen: time.Now()}
			if err := in.Push(d, "1"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if got := f.oldest(); !got.Equal(at) {
			t.Errorf("the oldest is of %v, want %v", got, at)
		}
		f.Next()
		if got := f.oldest(); !got.Equal(at) {
			t.Errorf("while it is handed out the oldest is of %v, want %v", got, at)
		}
		f.release()
		if got := f.oldest(); !got.IsZero() {
			t.Errorf("there is one of %v, and none is left", got)
		}
	})
}

// TestAScopeThatComesLateIsAGap has a scope leave and come back, and a new one come. Nobody is told of what was deleted in one before
// its first list. So each first list is a gap, except those that subscribers have waited for. It is counted before subscribers are told
// of the list.
func TestAScopeThatComesLateIsAGap(t *testing.T) {
	withScopes(t, Options[faulty.Thing]{}, pAndQ, func(t *testing.T, i *Informer[faulty.Thing]) {
		var toldAt []uint64
		subscribe(t, i, func(*delta.Delta[faulty.Thing]) { toldAt = append(toldAt, i.Gaps()) })
		synctest.Wait()
		if n := i.Gaps(); n != 0 {
			t.Fatalf("a start is %d gaps", n)
		}
		if err := i.RemoveScope("p", informer.Silently); err != nil {
			t.Fatal(err)
		}
		for n, namespace := range []string{"p", "r"} {
			toldAt = nil
			if err := i.AddScope(scopeOf(t, reach{namespace: namespace})); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			want := uint64(n) + 2 // p has left, too
			if got := i.Gaps(); got != want || !slices.Equal(toldAt, []uint64{want, want, want}) {
				t.Errorf("when %s has come there are %d gaps, and its three objects were told after %v, want %d", namespace, got, toldAt, want)
			}
		}
	})
}

// barred is a server that refuses everything until it is opened.
type barred struct {
	listwatch.ListWatcher[faulty.Thing]
	open atomic.Bool
}

func (b *barred) List(ctx context.Context, opts metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	if !b.open.Load() {
		return forbidden{}.List(ctx, opts)
	}
	return b.ListWatcher.List(ctx, opts)
}

func (b *barred) Watch(ctx context.Context, opts metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	if !b.open.Load() {
		return forbidden{}.Watch(ctx, opts)
	}
	return b.ListWatcher.Watch(ctx, opts)
}

// TestAKindThatIsFoundLateIsAGap has a kind come after subscribers have synced without it. Where they wait for it, nothing was missed.
func TestAKindThatIsFoundLateIsAGap(t *testing.T) {
	for settled, want := range map[bool]uint64{false: 0, true: 1} {
		server := &barred{}
		scopes := func(t *testing.T) []Scope[faulty.Thing] {
			t.Helper()
			server.ListWatcher = faultless(t)
			return []Scope[faulty.Thing]{{ListWatcher: server}}
		}
		withScopes(t, Options[faulty.Thing]{WhenSettled: settled}, scopes, func(t *testing.T, i *Informer[faulty.Thing]) {
			s := subscribe(t, i, func(*delta.Delta[faulty.Thing]) {})
			synctest.Wait()
			if n := i.Gaps(); n != 0 || isClosed(s.Synced()) != settled {
				t.Fatalf("settled %t: without the kind there are %d gaps, and the subscriber has synced: %t", settled, n, isClosed(s.Synced()))
			}
			server.open.Store(true)
			<-i.Synced()
			<-s.Synced()
			if n := i.Gaps(); n != want {
				t.Errorf("settled %t: when the kind has come there are %d gaps, want %d", settled, n, want)
			}
		})
	}
}
