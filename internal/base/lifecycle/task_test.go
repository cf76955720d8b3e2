package lifecycle

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func TestATaskEndsAloneOrWithItsGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(t.Context())
		wait := func(ctx context.Context) { <-ctx.Done() }
		one, other := g.Task("one", wait), g.Task("other", wait)
		one.End()
		synctest.Wait() // the group knows it a moment later
		select {
		case <-other.Done():
			t.Fatal("the other task ended with the one")
		default:
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
	})
}

// endOf returns what a task that runs in the caller's goroutine makes of that.
func endOf(g *Group, task func(context.Context) error) (value any, err error) {
	type end struct {
		err   error
		value any
	}
	ended := make(chan end)
	go func() {
		var e end
		defer func() {
			e.value = recover()
			ended <- e
		}()
		e.err = g.Here("here", task)
	}()
	e := <-ended
	return e.value, e.err
}

func TestATaskThatRunsHere(t *testing.T) {
	boom := errors.New("boom")
	for name, tt := range map[string]struct {
		task   func(context.Context) error
		err    error
		crash  error
		others func(*Group)
	}{
		"returns an error":   {task: func(context.Context) error { return boom }, err: boom},
		"returns":            {task: func(context.Context) error { return nil }},
		"panics":             {task: func(context.Context) error { panic(boom) }, crash: boom},
		"ends its goroutine": {task: func(context.Context) error { runtime.Goexit(); return nil }, crash: ErrGoexit},
		"ends as another fails": {
			task: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, err: boom,
			others: func(g *Group) { g.Go("other", func(context.Context) error { return boom }) },
		},
		"ends as another panics": {
			task: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, crash: boom,
			others: func(g *Group) { g.Go("other", func(context.Context) error { panic(boom) }) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := New(t.Context())
			if tt.others != nil {
				tt.others(g)
			}
			value, err := endOf(g, tt.task)
			if !errors.Is(err, tt.err) {
				t.Errorf("it returned %v, want %v", err, tt.err)
			}
			crash, _ := value.(*Crash)
			if tt.crash == nil && value != nil || tt.crash != nil && (crash == nil || !errors.Is(crash, tt.crash)) {
				t.Errorf("it panicked with %v, want %v", value, tt.crash)
			}
		})
	}
	g := New(t.Context())
	g.Stop()
	if err := g.Here("late", func(context.Context) error { t.Error("a stopped group ran a task"); return nil }); err != nil {
		t.Error(err)
	}
}

// TestSleep waits for the time, or for the end of the context.
func TestSleep(t *testing.T) {
	for limit, whole := range map[time.Duration]bool{time.Minute: false, time.Hour: true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), limit)
			defer stop()
			began := time.Now()
			alive := Sleep(ctx, 2*time.Minute)
			if slept := time.Since(began); alive != whole || slept != min(limit, 2*time.Minute) {
				t.Errorf("with %v left it slept %v, and the context is alive: %t", limit, slept, alive)
			}
		})
	}
}
