package reflector

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
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
		server := &flaky{Server: calm(t)}
		r := New[faulty.Thing](server, &bursting{}, faulty.KeyOf, Options[faulty.Thing]{
			Settings: informer.Settings{Lists: informer.PagesOnly, Backoff: informer.Backoff{Initial: time.Hour}},
			Guard: func(_ context.Context, call func()) {
				defer func() { _ = recover() }()
				call()
			},
		})
		run(t, r)
		time.Sleep(time.Minute)
		server.Put("a")
		time.Sleep(time.Minute)
		synctest.Wait()
		var failed *Error
		if err := r.Status().LastError; !errors.As(err, &failed) || failed.During != Following || !errors.Is(err, ErrPanicked) {
			t.Errorf("the status says: %v", err)
		}
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
		server := &unresponsive{calm(t)}
		r := New[faulty.Thing](server, &bin{}, faulty.KeyOf, Options[faulty.Thing]{Settings: informer.Settings{Lists: informer.PagesOnly}})
		run(t, r)
		time.Sleep(time.Second)
		since := time.Now().Add(-time.Hour)
		r.Suspect(since, errors.New("no answer"))
		if s := r.Status(); s.State != Watching || !s.DisconnectedSince.Equal(since) {
			t.Errorf("it is %s, and disconnected since %v", s.State, s.DisconnectedSince)
		}
		r.Suspect(time.Time{}, nil)
		if s := r.Status(); !s.DisconnectedSince.IsZero() {
			t.Errorf("when the server has answered it is disconnected since %v", s.DisconnectedSince)
		}
	})
}

// noting is a server that notes from which version it is asked for a list.
type noting struct {
	*faulty.Server
	from atomic.Value
}

func (n *noting) List(ctx context.Context, opts metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	n.from.Store(opts.ResourceVersion)
	return n.Server.List(ctx, opts)
}

// TestAListThatIsWantedIsTheNewest has somebody want a list before the first one. A server may answer that from an old memory.
func TestAListThatIsWantedIsTheNewest(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			server := &noting{Server: calm(t)}
			r := New[faulty.Thing](server, &bin{}, faulty.KeyOf, Options[faulty.Thing]{Settings: informer.Settings{Lists: informer.PagesOnly}})
			want := "0"
			if wanted {
				r.RequestList()
				want = ""
			}
			run(t, r)
			time.Sleep(time.Minute)
			synctest.Wait()
			if from := server.from.Load(); from != want {
				t.Errorf("wanted %t: the first list is asked for from version %q, want %q", wanted, from, want)
			}
		})
	}
}

// TestAListIsWantedUntilItIsServed has the first list fail that has begun for somebody.
func TestAListIsWantedUntilItIsServed(t *testing.T) {
	var l relists
	served := l.RequestList()
	for try := range 2 {
		if !l.begin() {
			t.Errorf("try %d does not know that somebody waits for it", try)
		}
	}
	l.serve()
	select {
	case <-served:
	default:
		t.Error("somebody waits for a list that was served")
	}
	if l.begin() {
		t.Error("a list is for somebody who was served")
	}
}

// A server may be restored and catch up between two attempts, however few there are.
func TestAServerIsAwayUntilItIsBack(t *testing.T) {
	const second = time.Second
	for _, tt := range []struct {
		name   string
		failed []time.Duration
		opened time.Duration
		long   bool
	}{
		{name: "no attempt failed", opened: 100 * second},
		{name: "it was soon back", failed: []time.Duration{1 * second, 3 * second}, opened: 5 * second},
		{name: "many attempts failed", failed: []time.Duration{1 * second, 3 * second, 12 * second}, opened: 13 * second, long: true},
		{name: "one attempt failed, and the next came late", failed: []time.Duration{1 * second}, opened: 11 * second, long: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d doubts
			begun := time.Now()
			for _, at := range tt.failed {
				d.away(begun.Add(at))
			}
			if long := d.back(begun.Add(tt.opened)); long != tt.long {
				t.Errorf("it was away for long: %t, want %t", long, tt.long)
			}
			if d.back(begun.Add(time.Hour)) {
				t.Error("the next watch counts the same absence again")
			}
		})
	}
}
