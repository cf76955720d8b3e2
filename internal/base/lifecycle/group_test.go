package lifecycle

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// untilDone is a task that does nothing until it is told to end.
func untilDone(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestFirstTaskToReturnStopsTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		g := New(t.Context())
		g.Go("long", untilDone)
		g.Go("short", func(context.Context) error {
			time.Sleep(time.Minute)
			return broken
		})
		start := time.Now()
		err := g.Wait()
		if !errors.Is(err, broken) || err.Error() != "short: broken" {
			t.Errorf("Wait() = %v, want short: broken", err)
		}
		if since := time.Since(start); since != time.Minute {
			t.Errorf("the group ended after %v, want 1m", since)
		}
	})
}

func TestWaitReturnsAfterTheLastTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(t.Context())
		g.Go("apply", untilDone)
		g.Guest("slow handler", func(ctx context.Context) {
			<-ctx.Done()
			time.Sleep(time.Hour)
		})
		g.Stop()
		start := time.Now()
		if err := g.Wait(); err != nil {
			t.Errorf("a stopped group returned %v", err)
		}
		if since := time.Since(start); since != time.Hour {
			t.Errorf("Wait returned after %v, before its slow task ended", since)
		}
	})
}

func TestStoppedGroupStartsNothing(t *testing.T) {
	g := New(t.Context())
	g.Stop()
	ran := func(context.Context) { t.Error("a task ran after Stop") }
	if g.Guest("late", ran) || g.Go("late", func(ctx context.Context) error { ran(ctx); return nil }) {
		t.Error("a stopped group accepted a task")
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	_ = g.Wait() // a second Wait returns as the first did
}

func TestPanicReachesTheWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("boom")
		g := New(t.Context())
		g.Go("long", untilDone)
		g.Guest("crasher", func(context.Context) { panic(cause) })
		defer func() {
			crash, ok := recover().(*Crash)
			if !ok || crash.Task != "crasher" || !errors.Is(crash, cause) || len(crash.Stack) == 0 {
				t.Errorf("Wait panicked with %v, want the crash of crasher", crash)
			}
		}()
		_ = g.Wait()
		t.Error("Wait returned although a task panicked")
	})
}

func TestGoexitReachesTheWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(t.Context())
		g.Go("long", untilDone)
		g.Guest("leaver", func(context.Context) { runtime.Goexit() })
		defer func() {
			crash, ok := recover().(*Crash)
			if !ok || crash.Task != "leaver" || !errors.Is(crash, ErrGoexit) || !strings.Contains(string(crash.Stack), "TestGoexitReachesTheWaiter") {
				t.Errorf("Wait panicked with %v, want the crash of leaver", crash)
			}
		}()
		time.AfterFunc(time.Hour, g.Stop)
		_ = g.Wait()
		t.Error("Wait returned although a task has left without its work")
	})
}
