package journal

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

func added(name string, size int) *delta.Delta[any] {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if size > 0 {
		pod.Annotations = map[string]string{"text": string(make([]byte, size))}
	}
	return &delta.Delta[any]{Key: delta.Key{Name: name}, Op: delta.Added, New: pod}
}

func note(d *Deltas, all ...*delta.Delta[any]) {
	d.Begin()
	defer d.End()
	for _, one := range all {
		d.Add(one)
	}
}

func TestBytesAreBounded(t *testing.T) {
	const megabyte, limit = 1 << 20, 8 << 20
	synctest.Test(t, func(t *testing.T) {
		j := New(Limits{Bytes: limit, Deltas: 64})
		g := lifecycle.New(t.Context())
		g.Guest("measure", j.Run)
		for flood := range 10 {
			for i := range 40 {
				kind := j.Kind(fmt.Sprint("kind-", i%3))
				note(kind, added(fmt.Sprint(flood, "-", i), megabyte))
				if left := j.Status().Entries; flood > 0 && left > 2*limit/megabyte {
					t.Fatalf("%d entries of 1 MiB are left within a flood", left)
				}
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if s := j.Status(); s.Bytes > limit || s.Bytes < 2*megabyte || int64(s.Entries) > limit/megabyte {
				t.Fatalf("after a pass there are %d entries with %d bytes", s.Entries, s.Bytes)
			}
		}
		newest := j.Deltas(Filter{Limit: 1})
		if len(newest) != 1 || newest[0].Delta.Key.Name != "9-39" {
			t.Errorf("the newest is %v", newest)
		}
		g.Stop()
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestMeasuresAreRare looks at when Run measures: at most once a second, and not without news.
func TestMeasuresAreRare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := New(Limits{})
		g := lifecycle.New(t.Context())
		g.Guest("measure", j.Run)
		passes := func() uint64 { synctest.Wait(); return j.scale.pass }
		time.Sleep(time.Hour)
		if got := passes(); got != 0 {
			t.Errorf("nothing was measured %d times", got)
		}
		kind := j.Kind("pods")
		for range 100 {
			note(kind, added("a", 10))
			time.Sleep(50 * time.Millisecond)
		}
		if got := passes(); got < 4 || got > 6 {
			t.Errorf("it was measured %d times in 5 seconds", got)
		}
		time.Sleep(time.Hour)
		if got := passes(); got > 7 {
			t.Errorf("it was measured %d times", got)
		}
		if j.fresh.Load() != 0 || j.Status().Bytes == 0 {
			t.Errorf("%d are not measured, and the rest is %d bytes", j.fresh.Load(), j.Status().Bytes)
		}
		g.Stop()
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestTheFirstListCountsOnly(t *testing.T) {
	j := New(Limits{})
	initial := added("a", 0)
	initial.Initial = true
	note(j.Kind("pods"), initial, added("b", 0), initial)
	s := j.Status()
	if len(s.Kinds) != 1 || s.Entries != 1 || s.Kinds[0].Initial != 2 || s.Kinds[0].Noted != 1 {
		t.Errorf("the status is %+v", s)
	}
	kind, controller := j.Kind("pods"), j.Controller("a")
	if j.Kind("pods") != kind || j.Controller("a") != controller {
		t.Error("a kind is another one each time")
	}
}

func TestFollowing(t *testing.T) {
	j := New(Limits{})
	kind, other := j.Kind("pods"), j.Kind("services")
	note(kind, added("before", 0))
	f := j.Follow(Filter{Kind: "pods"})
	for i := range buffered + 10 {
		note(kind, added(fmt.Sprint(i), 0))
		note(other, added("x", 0))
	}
	for i := range buffered {
		e, lost, err := f.Next(t.Context())
		if want := map[bool]uint64{true: 10}[i == 0]; err != nil || e.Delta.Key.Name != fmt.Sprint(10+i) || lost != want {
			t.Fatalf("the follower is shown %v, %d, %v", e.Delta.Key, lost, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := f.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	f.Close()
	f.Close()
	if _, _, err := f.Next(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("the error is %v", err)
	}
	if j.deltaFollowers.now() != nil {
		t.Error("a follower is left")
	}
}

func TestAFollowerWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := New(Limits{})
		f := j.FollowCalls(CallFilter{Controller: "a", Result: Error})
		g := lifecycle.New(t.Context())
		var got []string
		g.Guest("follow", func(ctx context.Context) {
			for {
				c, _, err := f.Next(ctx)
				if err != nil {
					got = append(got, err.Error())
					return
				}
				got = append(got, c.Request.Name)
			}
		})
		for _, c := range []Call{{Request: delta.Key{Name: "good"}, Result: Success}, {Request: delta.Key{Name: "bad"}, Result: Error}} {
			time.Sleep(time.Minute)
			j.Controller("a").Note(c)
			j.Controller("b").Note(c)
		}
		synctest.Wait()
		f.Close()
		synctest.Wait()
		if fmt.Sprint(got) != "[bad the follower is closed]" {
			t.Errorf("the follower was shown %q", got)
		}
		g.Stop()
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestManyAtOnce is for the race detector.
func TestManyAtOnce(t *testing.T) {
	j := New(Limits{Deltas: 32, Calls: 32, Bytes: 100_000})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	g := lifecycle.New(ctx)
	g.Guest("measure", j.Run)
	for i := range 3 {
		kind, controller := j.Kind(fmt.Sprint(i%2)), j.Controller(fmt.Sprint(i))
		g.Guest("note", func(ctx context.Context) {
			for n := 0; ctx.Err() == nil; n++ {
				d := added(fmt.Sprint(n), n%5000)
				note(kind, d, d)
				controller.Note(Call{Request: d.Key, Changes: delta.NewChanges(delta.Change{Op: delta.Added, New: d.New.(delta.Object)})})
			}
		})
	}
	for range 2 {
		g.Guest("follow", func(ctx context.Context) {
			for ctx.Err() == nil {
				f := j.Follow(Filter{Manager: ""})
				var last uint64
				for range 20 {
					if _, _, err := f.Next(ctx); err != nil {
						break
					}
				}
				f.Close()
				for _, e := range j.Deltas(Filter{}) {
					if last != 0 && e.ID >= last {
						t.Errorf("%d comes after %d", e.ID, last)
					}
					last = e.ID
				}
				_ = j.Status()
			}
		})
	}
	if err := g.Wait(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	j.measure()
	if s := j.Status(); s.Bytes > 100_000 || j.fresh.Load() != 0 {
		t.Errorf("the status is %+v, and %d are not measured", s, j.fresh.Load())
	}
}

func BenchmarkNote(b *testing.B) {
	type event struct {
		delta.Delta[any]

		asked bool
	}
	events := make([]event, 64)
	for i := range events {
		events[i] = event{Delta: *added(fmt.Sprint(i), 0), asked: true}
	}
	for _, size := range []int{1, 64} {
		b.Run(fmt.Sprint("batch=", size), func(b *testing.B) {
			kind := New(Limits{}).Kind("pods")
			b.ReportAllocs()
			for i := 0; i < b.N; i += size {
				kind.Begin()
				for i := range events[:size] {
					kind.Add(&events[i].Delta)
				}
				kind.End()
			}
		})
	}
	b.Run("call", func(b *testing.B) {
		calls := New(Limits{}).Controller("a")
		b.ReportAllocs()
		for b.Loop() {
			calls.Note(Call{Result: Success})
		}
	})
}
