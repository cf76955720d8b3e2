package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/internal/store"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// faultless is a server with three things, at versions 7 to 9, and no faults.
func faultless(t *testing.T) *faulty.Server {
	server := faulty.New(t, rand.New(rand.NewPCG(1, 1)), 6)
	server.Cease()
	for _, name := range []string{"a", "b", "c"} {
		server.Put(name)
	}
	server.API.Skip(1)
	return server
}

// start runs the informer until the test ends, or stop is called, which waits for it.
func start[T any](t *testing.T, i *Informer[T]) (stop func()) {
	t.Helper()
	group := lifecycle.New(t.Context())
	group.Go("informer", i.Run)
	stop = sync.OnceFunc(func() {
		group.Stop()
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// withInformer runs an informer for the server in a bubble, and stops it in the
// end. The checks in after come then.
func withInformer(t *testing.T, opts Options[faulty.Thing], test func(*Informer[faulty.Thing], *faulty.Server), after ...func(*Informer[faulty.Thing])) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := faultless(t)
		opts.Name, opts.Traits = "things", thingTraits
		i := New[faulty.Thing](server, opts)
		stop := start(t, i)
		<-i.Synced()
		synctest.Wait()
		test(i, server)
		stop()
		for _, check := range after {
			check(i)
		}
	})
}

func subscribe(t *testing.T, i *Informer[faulty.Thing], tell func(*delta.Delta[faulty.Thing])) *Subscription[faulty.Thing] {
	t.Helper()
	s, err := i.Subscribe(tell, informer.SubscribeOptions{Name: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReadersSeeWhatSubscribersAreTold(t *testing.T) {
	withInformer(t, Options[faulty.Thing]{}, func(i *Informer[faulty.Thing], server *faulty.Server) {
		calls := 0
		subscribe(t, i, func(d *delta.Delta[faulty.Thing]) {
			calls++
			shown, there := i.Store().Get(d.Key)
			switch {
			case d.Op == delta.Deleted && there && versionNumber(t, shown.Version) < versionNumber(t, d.New.Version):
				t.Errorf("told that %s is gone while readers see %s", d.Key, shown)
			case d.Op != delta.Deleted && there && versionNumber(t, shown.Version) < versionNumber(t, d.New.Version):
				t.Errorf("told of %s while readers see %s", d.New, shown)
			}
		})
		rng := rand.New(rand.NewPCG(2, 2))
		for range 200 {
			server.Change(rng)
			if rng.IntN(4) == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		if calls < 100 {
			t.Errorf("the subscriber was told of %d events only", calls)
		}
	})
}

func versionNumber(t *testing.T, version string) int {
	t.Helper()
	n, err := strconv.Atoi(version)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestWritesFromOutside(t *testing.T) {
	seed := func(txn *store.Txn[faulty.Thing]) {
		txn.Put(delta.Key{Name: "seeded"}, faulty.Thing{Name: "seeded", Version: "1"})
	}
	byVersion := store.Indexers[faulty.Thing]{"version": func(t faulty.Thing) ([]string, error) { return []string{t.Version}, nil }}
	check := func(t *testing.T, i *Informer[faulty.Thing]) {
		t.Helper()
		if err := i.Write(seed); err != nil {
			t.Error(err)
		}
		if _, ok := i.Store().Get(delta.Key{Name: "seeded"}); !ok {
			t.Error("what was written cannot be read")
		}
		if err := i.AddIndexers(byVersion); err != nil {
			t.Error(err)
		}
		if found, err := i.Store().ByIndex("version", "1"); err != nil || len(found) != 1 {
			t.Errorf("the new index finds %v, %v", found, err)
		}
	}
	t.Run("before Run", func(t *testing.T) {
		check(t, New[faulty.Thing](faultless(t), Options[faulty.Thing]{Name: "things", Traits: thingTraits}))
	})
	t.Run("while it runs", func(t *testing.T) {
		withInformer(t, Options[faulty.Thing]{}, func(i *Informer[faulty.Thing], _ *faulty.Server) { check(t, i) })
	})
	t.Run("after it has stopped", func(t *testing.T) {
		withInformer(t, Options[faulty.Thing]{}, func(*Informer[faulty.Thing], *faulty.Server) {}, func(i *Informer[faulty.Thing]) { check(t, i) })
	})
}

func TestInformerRunsOnce(t *testing.T) {
	withInformer(t, Options[faulty.Thing]{}, func(i *Informer[faulty.Thing], _ *faulty.Server) {
		if err := i.Run(context.Background()); !errors.Is(err, ErrStarted) {
			t.Errorf("a second Run returned %v", err)
		}
	}, func(i *Informer[faulty.Thing]) {
		if err := i.Run(context.Background()); !errors.Is(err, ErrStopped) {
			t.Errorf("Run after the end returned %v", err)
		}
		if _, err := i.Subscribe(func(*delta.Delta[faulty.Thing]) {}, informer.SubscribeOptions{}); !errors.Is(err, ErrStopped) {
			t.Errorf("Subscribe after the end returned %v", err)
		}
	})
}

func TestHandlerPanicReachesRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := New[faulty.Thing](faultless(t), Options[faulty.Thing]{Name: "things", Traits: thingTraits})
		subscribe(t, i, func(*delta.Delta[faulty.Thing]) { panic("boom") })
		defer func() {
			crash, ok := recover().(*lifecycle.Crash)
			if !ok || crash.Value != "boom" {
				t.Errorf("Run panicked with %v", crash)
			}
		}()
		err := i.Run(t.Context())
		t.Errorf("Run returned %v", err)
	})
}

// forbidden is a server that lets nobody list.
type forbidden struct{}

func (forbidden) List(context.Context, metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	return listwatch.Page[faulty.Thing]{}, faulty.Answer("forbidden")
}

func (forbidden) Watch(context.Context, metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	return nil, faulty.Answer("forbidden")
}

func TestTransformThatFailsCostsItsObjectAlone(t *testing.T) {
	for _, lists := range []informer.ListMode{informer.StreamFirst, informer.PagesOnly} {
		var skipped []error
		opts := Options[faulty.Thing]{
			Transform: func(obj faulty.Thing) (faulty.Thing, error) {
				if obj.Name == "b" {
					return faulty.Thing{}, errors.New("cannot be transformed")
				}
				return obj, nil
			},
			Reflector: reflector.Options[faulty.Thing]{
				Settings: informer.Settings{Lists: lists},
				OnSkip:   func(_ context.Context, err error) { skipped = append(skipped, err) },
			},
		}
		withInformer(t, opts, func(i *Informer[faulty.Thing], _ *faulty.Server) {
			if got := i.Store().Len(); got != 2 {
				t.Errorf("%d objects in the store, want those two that can be transformed", got)
			}
			if got := i.Status().Reflector.Skipped; got == 0 || len(skipped) != got || !strings.Contains(skipped[0].Error(), "b") {
				t.Errorf("skipped %d, told of %v", got, skipped)
			}
			if got := i.Gaps(); got != uint64(len(skipped)) {
				t.Errorf("%d objects were skipped, which are %d gaps", len(skipped), got)
			}
		})
	}
}
