package reflector

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// bursting is a sink that panics at an event.
type bursting struct{ bin }

func (*bursting) Push(delta.Delta[faulty.Thing], string) error { panic("as the test wants it") }

// TestAPanicIsToldWithWhatWasDone has the sink panic at an event, while the Reflector follows a watch.
func TestAPanicIsToldWithWhatWasDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &flaky{Server: faulty.New(t, rand.New(rand.NewPCG(1, 1)), 1)}
		server.Cease()
		r := New[faulty.Thing](server, &bursting{}, faulty.KeyOf, Options[faulty.Thing]{
			Settings: informer.Settings{Lists: informer.PagesOnly, Backoff: informer.Backoff{Initial: time.Hour}},
			Guard: func(_ context.Context, call func()) {
				defer func() { _ = recover() }()
				call()
			},
		})
		g := lifecycle.New(t.Context())
		g.Go("reflector", r.Run)
		time.Sleep(time.Minute)
		server.Put("a")
		time.Sleep(time.Minute)
		synctest.Wait()
		var failed *Error
		if err := r.Status().LastError; !errors.As(err, &failed) || failed.During != Following || !errors.Is(err, ErrPanicked) {
			t.Errorf("the status says: %v", err)
		}
		g.Stop()
		_ = g.Wait()
	})
}

// unresponsive is a server that lists, and answers no request for a watch.
type unresponsive struct{ *faulty.Server }

func (*unresponsive) Watch(ctx context.Context, _ metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestAServerThatHoldsARequestIsSuspected has somebody else find out that the server does not answer, while a watch is asked for.
func TestAServerThatHoldsARequestIsSuspected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &unresponsive{faulty.New(t, rand.New(rand.NewPCG(1, 1)), 1)}
		server.Cease()
		r := New[faulty.Thing](server, &bin{}, faulty.KeyOf, Options[faulty.Thing]{Settings: informer.Settings{Lists: informer.PagesOnly}})
		g := lifecycle.New(t.Context())
		g.Go("reflector", r.Run)
		time.Sleep(time.Second)
		since := time.Now().Add(-time.Hour)
		r.Suspect(since, errors.New("no answer"))
		if s := r.Status(); s.State != Watching || !s.DeafSince.Equal(since) {
			t.Errorf("it is %s, and deaf since %v", s.State, s.DeafSince)
		}
		r.Suspect(time.Time{}, nil)
		if s := r.Status(); !s.DeafSince.IsZero() {
			t.Errorf("when the server has answered it is deaf since %v", s.DeafSince)
		}
		g.Stop()
		_ = g.Wait()
	})
}

// unreachable is a server that lists. While it is cut off, no connection for a watch is made in time.
type unreachable struct {
	*faulty.Server

	lists atomic.Int32
	cut   atomic.Bool
}

func (u *unreachable) List(ctx context.Context, opts metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	u.lists.Add(1)
	return u.Server.List(ctx, opts)
}

func (u *unreachable) Watch(ctx context.Context, opts metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	if u.cut.Load() {
		time.Sleep(30 * time.Second)
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	}
	return u.Server.Watch(ctx, opts)
}

// TestAServerThatNobodyReachesIsNotHeard cuts the server off for ten minutes. The kind is deaf all the while, and goes on
// from its version afterwards.
func TestAServerThatNobodyReachesIsNotHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &unreachable{Server: faulty.New(t, rand.New(rand.NewPCG(1, 1)), 1)}
		server.Cease()
		server.cut.Store(true)
		cut := time.Now()
		r := New[faulty.Thing](server, &bin{}, faulty.KeyOf, Options[faulty.Thing]{Settings: informer.Settings{Lists: informer.PagesOnly}})
		g := lifecycle.New(t.Context())
		g.Go("reflector", r.Run)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if s := r.Status(); s.DeafSince.IsZero() || s.DeafSince.Sub(cut) > time.Second {
			t.Errorf("cut off for ten minutes it is %s, and deaf since %v", s.State, s.DeafSince)
		}
		server.cut.Store(false)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if s := r.Status(); s.State != Following || !s.DeafSince.IsZero() {
			t.Errorf("with the server back it is %s, and deaf since %v", s.State, s.DeafSince)
		}
		if lists := server.lists.Load(); lists > 3 { // the first, one that asks for the version, and the check on a server that was away
			t.Errorf("it lists %d times", lists)
		}
		g.Stop()
		_ = g.Wait()
	})
}

// TestAListIsWantedUntilItIsServed has the first list fail that has begun for somebody.
func TestAListIsWantedUntilItIsServed(t *testing.T) {
	var l relists
	number := l.ask()
	for try := range 2 {
		if !l.begin() {
			t.Errorf("try %d does not know that somebody waits for it", try)
		}
	}
	l.serve()
	if l.begin() || l.waitFor(number) != nil {
		t.Error("somebody waits for a list that was served")
	}
}
