package reflector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// Taken is how many lists are being read now.
func (l *Limiter) Taken() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken
}

// Waiting is how many Reflectors wait for a turn.
func (l *Limiter) Waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.again) + len(l.first)
}

func TestListLimiterServesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1)
		g := lifecycle.New(t.Context())
		served := make(chan int, 5)
		for i := range 5 {
			g.Guest("reader", func(ctx context.Context) {
				useTurn(ctx, t, l, func() { served <- i })
			})
			synctest.Wait()
		}
		if l.Taken() != 1 || l.Waiting() != 4 {
			t.Errorf("taken %d, waiting %d; want 1, 4", l.Taken(), l.Waiting())
		}
		for i := range 5 {
			if got := <-served; got != i {
				t.Errorf("%d was served in place of %d", got, i)
			}
		}
		time.Sleep(2 * time.Minute)
		g.Stop()
		if err := g.Wait(); err != nil || l.Taken() != 0 || l.Waiting() != 0 {
			t.Errorf("at the end: %v, taken %d, waiting %d", err, l.Taken(), l.Waiting())
		}
	})
}

func TestListLimiterGivesUpWithContext(t *testing.T) {
	l := NewLimiter(0)
	ctx, cancel := context.WithCancel(t.Context())
	taken, ok := l.take(ctx)
	if !ok {
		t.Fatal("no turn although none is taken")
	}
	cancel()
	if _, ok := l.take(ctx); ok {
		t.Error("a turn after the context had ended")
	}
	taken.give()
	if l.Taken() != 0 || l.Waiting() != 0 {
		t.Errorf("taken %d, waiting %d", l.Taken(), l.Waiting())
	}
}

// useTurn lists for a minute, in which something comes all the time.
func useTurn(ctx context.Context, t *testing.T, l *Limiter, begin func()) {
	taken, ok := l.take(ctx)
	if !ok {
		t.Error("no turn")
		return
	}
	defer taken.give()
	begin()
	for range 600 {
		time.Sleep(time.Minute / 600)
		if !taken.flows() {
			t.Error("a turn was lent whose list flows")
		}
	}
}

// A list that is silent lets others in. When it goes on, it comes before those that have not
// begun, and no more of them list at a time than may.
func TestASilentListLendsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1)
		silent, _ := l.take(t.Context())
		g := lifecycle.New(t.Context())
		served := make(chan int, 2)
		for i := range 2 {
			g.Guest("reader", func(ctx context.Context) { useTurn(ctx, t, l, func() { served <- i }) })
			synctest.Wait()
		}
		time.Sleep(time.Second)
		if len(served) != 1 || l.Taken() != 1 || silent.flows() {
			t.Fatalf("after a second of silence %d others list, and %d turns are taken", len(served), l.Taken())
		}
		if !silent.again(t.Context()) || len(served) != 1 {
			t.Errorf("when the silent one goes on, %d others have begun", len(served))
		}
		silent.keep()
		time.Sleep(time.Hour)
		if !silent.flows() || len(served) != 1 {
			t.Errorf("a list that has come to its end lent its turn to %d others", len(served)-1)
		}
		silent.give()
		time.Sleep(2 * time.Minute)
		g.Stop()
		if err := g.Wait(); err != nil || l.Taken() != 0 || l.Waiting() != 0 {
			t.Errorf("at the end: %v, taken %d, waiting %d", err, l.Taken(), l.Waiting())
		}
	})
}
