package journal

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
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

// held is what a journal holds, when it was last measured.
func held(j *Journal) (entries int, bytes int64) {
	kinds, controllers := j.all()
	for _, d := range kinds {
		entries, bytes = entries+len(d.newestFirst()), bytes+d.bytes.Load()
	}
	for _, c := range controllers {
		entries, bytes = entries+len(c.newestFirst()), bytes+c.bytes.Load()
	}
	return entries, bytes
}

func TestBytesAreBounded(t *testing.T) {
	const megabyte, limit = 1 << 20, 8 << 20
	synctest.Test(t, func(t *testing.T) {
		j := New(Limits{Bytes: limit, Deltas: 64})
		g := lifecycle.New(t.Context())
		g.Guest("measure", j.Run)
		for flood := range 10 {
			for i := range 40 {
				kind := j.Kind(fmt.Sprint("kind-", i%3), podKind)
				note(kind, added(fmt.Sprint(flood, "-", i), megabyte))
				// As much again comes before a pass, and while it has not yet dropped what it is to drop.
				if left, _ := held(j); flood > 0 && left > 3*limit/megabyte {
					t.Fatalf("%d entries of 1 MiB are left within a flood", left)
				}
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if left, bytes := held(j); bytes > limit || bytes < 2*megabyte || int64(left) > limit/megabyte {
				t.Fatalf("after a pass there are %d entries with %d bytes", left, bytes)
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

// indexed is an object whose Go type remembers something in a map that it does not export.
type indexed struct {
	corev1.ConfigMap
	index map[string]int
}

func TestATypeWithAMapOfItsOwnIsMeasured(t *testing.T) {
	j := New(Limits{})
	note(j.Kind("things", podKind), &delta.Delta[any]{
		Key: delta.Key{Name: "a"}, Op: delta.Updated, Old: &indexed{index: map[string]int{"a": 1}}, New: &indexed{index: map[string]int{"a": 2}},
	})
	j.measure()
	if entries, bytes := held(j); entries != 1 || bytes == 0 {
		t.Errorf("%d entries take %d bytes", entries, bytes)
	}
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
		kind := j.Kind("pods", podKind)
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
		if _, bytes := held(j); j.fresh.Load() != 0 || bytes == 0 {
			t.Errorf("%d are not measured, and the rest is %d bytes", j.fresh.Load(), bytes)
		}
		g.Stop()
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestTheFirstListIsNotKept(t *testing.T) {
	j := New(Limits{})
	initial := added("a", 0)
	initial.Initial = true
	kind, controller := j.Kind("pods", podKind), j.Controller("a")
	note(kind, initial, added("b", 0), initial)
	if all := j.Deltas(Filter{}); len(all) != 1 || all[0].Delta.Key.Name != "b" || all[0].GVK != podKind {
		t.Errorf("the entries are %+v", all)
	}
	if j.Kind("pods", podKind) != kind || j.Controller("a") != controller {
		t.Error("a kind is another one each time")
	}
}

func TestWords(t *testing.T) {
	for r := Success; r <= Panic; r++ {
		if got, ok := ResultOf(r.String()); got != r || !ok || r.String() == "" {
			t.Errorf("%d is %q, which is %d", r, r, got)
		}
	}
	for _, word := range []string{"", "Success"} {
		if got, ok := ResultOf(word); ok || got != 0 {
			t.Errorf("%q is %d", word, got)
		}
	}
	for want, step := range map[string]delta.StepReport{"done": {}, "failed": {Err: context.Canceled}, "skipped": {Skipped: true}} {
		if got := StepResult(&step); got != want {
			t.Errorf("%+v is %q", step, got)
		}
	}
}

// TestManyAtOnce is for the race detector.
func TestManyAtOnce(t *testing.T) {
	j := New(Limits{Deltas: 32, Calls: 32, Bytes: 100_000})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g := lifecycle.New(ctx)
	g.Guest("measure", j.Run)
	var noting sync.WaitGroup
	for i := range 3 {
		kind, controller := j.Kind(fmt.Sprint(i%2), podKind), j.Controller(fmt.Sprint(i))
		noting.Add(1)
		g.Guest("note", func(context.Context) {
			defer noting.Done()
			for n := range 1000 {
				d := added(fmt.Sprint(n), n%5000)
				note(kind, d, d)
				controller.Note(Call{Request: d.Key, Changes: delta.NewChanges(delta.Change{Op: delta.Added, New: d.New.(delta.Object)})})
			}
		})
	}
	for range 2 {
		g.Guest("follow", func(ctx context.Context) {
			for ctx.Err() == nil {
				f := j.Follow(Filter{})
				var last uint64
				for range 20 {
					select {
					case <-ctx.Done():
					case <-f.Ready():
					}
					taken, _ := f.Take(10)
					for i := range taken {
						if taken[i].ID <= last {
							t.Errorf("a follower has %d after %d", taken[i].ID, last)
						}
						last = taken[i].ID
					}
				}
				f.Close()
				last = 0
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
	noting.Wait()
	cancel()
	if err := g.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	j.measure()
	if _, bytes := held(j); bytes > 100_000 || j.fresh.Load() != 0 {
		t.Errorf("there are %d bytes, and %d entries are not measured", bytes, j.fresh.Load())
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
			kind := New(Limits{}).Kind("pods", podKind)
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

// broken is an error that can't say what it is.
type broken struct{ *int }

func (b broken) Error() string { return fmt.Sprint(*b.int) }

// TestErrorsAreTexts notes calls with errors that hold much, whose texts are long, and that panic.
func TestErrorsAreTexts(t *testing.T) {
	j := New(Limits{Bytes: 1 << 20})
	calls := j.Controller("site")
	alive := func() weak.Pointer[[1 << 20]byte] {
		held := new([1 << 20]byte)
		calls.Note(Call{Result: Error, Err: fmt.Errorf("it holds %w", holding{held}), Steps: []delta.StepReport{{Name: "a", Err: holding{held}}}})
		return weak.Make(held)
	}()
	calls.Note(Call{Result: Error, Err: broken{}})
	all := j.Calls(CallFilter{Limit: 2})
	if got := all[0].Err.Error(); got != "the text of a journal.broken panicked" {
		t.Errorf("an error that panics is %q", got)
	}
	if got := fmt.Sprint(all[1].Err, all[1].Steps[0].Err); got != "it holds much much" {
		t.Errorf("the errors are %q", got)
	}
	await.Until(t, "what an error holds to be let go", func() bool { runtime.GC(); return alive.Value() == nil })
	for range 400 {
		calls.Note(Call{Result: Error, Err: errors.New(strings.Repeat("é", 100<<10)), Steps: []delta.StepReport{{Name: "a", Err: errors.New(strings.Repeat("e", 100<<10))}}})
	}
	j.measure()
	if kept := len(j.Calls(CallFilter{Limit: 1000})); kept < 50 || int64(kept)*2*longestError > 1<<20 {
		t.Errorf("%d calls with long errors are kept", kept)
	}
	runtime.KeepAlive(j)
}

// holding is an error that holds much.
type holding struct{ much *[1 << 20]byte }

func (holding) Error() string { return "much" }
