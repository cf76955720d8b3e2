package reflector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
)

func TestListLimiterServesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1)
		g := lifecycle.New(t.Context())
		served := make(chan int, 5)
		for i := range 5 {
			g.Guest("reader", func(ctx context.Context) {
				if !l.take(ctx) {
					t.Error("no turn")
				}
				served <- i
				time.Sleep(time.Minute)
				l.give()
			})
			synctest.Wait()
		}
		if l.Limit() != 1 || l.Taken() != 1 || l.Waiting() != 4 {
			t.Errorf("limit %d, taken %d, waiting %d; want 1, 1, 4", l.Limit(), l.Taken(), l.Waiting())
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

func TestListLimiterLetsSeveralList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(2)
		g := lifecycle.New(t.Context())
		for range 5 {
			g.Guest("reader", func(ctx context.Context) {
				if l.take(ctx) {
					time.Sleep(time.Minute)
					l.give()
				}
			})
		}
		for _, want := range []int{2, 2, 1, 0} {
			synctest.Wait()
			if l.Taken() != want {
				t.Errorf("%d list at once, want %d", l.Taken(), want)
			}
			time.Sleep(time.Minute)
		}
		g.Stop()
		_ = g.Wait()
	})
}

func TestListLimiterGivesUpWithContext(t *testing.T) {
	l := NewLimiter(0)
	ctx, cancel := context.WithCancel(t.Context())
	if !l.take(ctx) {
		t.Fatal("no turn although none is taken")
	}
	cancel()
	if l.take(ctx) {
		t.Error("a turn after the context had ended")
	}
	l.give()
	if l.Taken() != 0 || l.Waiting() != 0 {
		t.Errorf("taken %d, waiting %d", l.Taken(), l.Waiting())
	}
}

func TestNilListLimiterBoundsNothing(t *testing.T) {
	var l *Limiter
	for range 100 {
		if !l.take(t.Context()) {
			t.Fatal("no turn")
		}
	}
	l.give()
	if l.Limit() != 0 || l.Taken() != 0 || l.Waiting() != 0 {
		t.Errorf("limit %d, taken %d, waiting %d; want zeros", l.Limit(), l.Taken(), l.Waiting())
	}
}

func TestListLimiterKnowsItsTurns(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a turn that nobody had taken was given back")
		}
	}()
	NewLimiter(1).give()
}
