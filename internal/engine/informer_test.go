package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
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

// forbidden is a server that lets nobody list.
type forbidden struct{}

func (forbidden) List(context.Context, metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	return listwatch.Page[faulty.Thing]{}, faulty.Answer("forbidden")
}

func (forbidden) Watch(context.Context, metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	return nil, faulty.Answer("forbidden")
}
