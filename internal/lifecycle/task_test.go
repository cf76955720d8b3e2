package lifecycle

import (
	"context"
	"errors"
	"testing"
)

func TestATaskEndsAloneOrWithItsGroup(t *testing.T) {
	g := New(t.Context())
	wait := func(ctx context.Context) { <-ctx.Done() }
	one, other := g.Task("one", wait), g.Task("other", wait)
	one.End()
	select {
	case <-other.Done():
		t.Fatal("the other task ended with the one")
	default:
	}
	if running := g.Running(); len(running) != 1 || running[0] != "other" {
		t.Errorf("still running: %q", running)
	}
	one.Stop() // again, which does nothing
	g.Stop()
	<-other.Done()
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if late := g.Task("late", wait); late != nil {
		t.Error("a stopped group started a task")
	}
}

func TestATaskThatPanicsEndsItsGroup(t *testing.T) {
	g := New(t.Context())
	boom := errors.New("boom")
	task := g.Task("fragile", func(context.Context) { panic(boom) })
	<-task.Done()
	defer func() {
		if crash, ok := recover().(*Crash); !ok || crash.Task != "fragile" || !errors.Is(crash, boom) {
			t.Errorf("Wait panicked with %v", crash)
		}
	}()
	_ = g.Wait()
}
