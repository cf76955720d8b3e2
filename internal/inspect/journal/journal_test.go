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

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// text is long enough for each object. What several share counts for each of them.
var text = string(make([]byte, 1<<20))

func added(name string, size int) *delta.Delta[any] {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if size > 0 {
		pod.Annotations = map[string]string{"text": text[:size]}
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

// kept is how many entries there are. Anybody may note more meanwhile.
func kept(j *Journal) (entries int) {
	for _, d := range j.kindsNamed("") {
		d.mu.Lock()
		entries += d.rows[changed].entries.count + d.rows[shown].entries.count
		d.mu.Unlock()
	}
	for _, c := range j.controllersNamed("") {
		c.mu.Lock()
		entries += c.rows[changed].entries.count + c.rows[shown].entries.count
		c.mu.Unlock()
	}
	return entries
}

// weight is how many bytes the last pass kept. No pass may be under way.
func weight(j *Journal) int64 { return j.shares[changed].scale.sum + j.shares[shown].scale.sum }

// fresh is how many entries are not measured.
func fresh(j *Journal) int64 { return j.shares[changed].fresh.Load() + j.shares[shown].fresh.Load() }

// TestAResyncPushesNoChangeOut resyncs many objects, and large ones, after a few have changed.
func TestAResyncPushesNoChangeOut(t *testing.T) {
	const changes, objects = 100, 100_000
	j := New(Limits{})
	pods, others, site := j.Kind("pods", podKind), j.Kind("others", podKind), j.Controller("site")
	for i := range changes {
		d := added(fmt.Sprint("changed-", i), 10<<10)
		note(pods, d)
		site.Note(Call{Request: d.Key, Result: Success, Changes: delta.NewChanges(delta.Change{Op: delta.Added, Key: d.Key, New: d.New.(delta.Object)})})
	}
	for i := range objects {
		d := added(fmt.Sprint("shown-", i), i%64<<10)
		d.Op, d.Old = delta.Sync, d.New
		note(others, d)
		note(pods, d)
		site.Note(Call{Request: d.Key, Result: Success, Changes: delta.NewChanges(delta.Change{Op: delta.Sync, Key: d.Key, New: d.New.(delta.Object)})})
		if i%1000 == 0 {
			j.measure()
		}
	}
	if found, dropped := j.Deltas(Filter{Op: delta.Added}); len(found) != changes || dropped == 0 {
		t.Errorf("%d of %d changes are left", len(found), changes)
	}
	if found, _ := j.Deltas(Filter{Limit: 200}); len(found) != 200 || found[0].Delta.Op != delta.Sync || found[199].Delta.Op != delta.Added {
		t.Errorf("of the last 200 deltas there are %d", len(found))
	}
	if found, _ := j.Calls(CallFilter{}); len(found) < changes || found[len(found)-changes].Request.Name != "changed-99" {
		t.Errorf("%d calls are left, and not those for %d changes", len(found), changes)
	}
	if bytes := weight(j); bytes > 32<<20 {
		t.Errorf("%d bytes are kept", bytes)
	}
	f := j.Follow(Filter{Op: delta.Added, Since: 1})
	defer f.Close()
	if taken, lost := f.Take(objects); len(taken) != changes-1 || lost != 0 {
		t.Errorf("who follows what is added hears of %d, and that %d are lost", len(taken), lost)
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
				kind := j.Kind(fmt.Sprint("kind-", i%3), podKind)
				note(kind, added(fmt.Sprint(flood, "-", i), megabyte))
				// As much again comes before a pass, and while it has not yet dropped what it is to drop.
				if left := kept(j); flood > 0 && left > 3*limit/megabyte {
					t.Fatalf("%d entries of 1 MiB are left within a flood", left)
				}
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if left, bytes := kept(j), weight(j); bytes > limit || bytes < 2*megabyte || int64(left) > limit/megabyte {
				t.Fatalf("after a pass there are %d entries with %d bytes", left, bytes)
			}
		}
		newest, _ := j.Deltas(Filter{Limit: 1})
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
		passes := func() uint64 { synctest.Wait(); return j.shares[changed].scale.pass }
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
		if bytes := weight(j); fresh(j) != 0 || bytes == 0 {
			t.Errorf("%d are not measured, and the rest is %d bytes", fresh(j), bytes)
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
				all, _ := j.Deltas(Filter{})
				for _, e := range all {
					if last != 0 && e.ID >= last {
						t.Errorf("%d comes after %d", e.ID, last)
					}
					last = e.ID
				}
			}
		})
	}
	noting.Wait()
	cancel()
	if err := g.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	j.measure()
	if bytes := weight(j); bytes > 100_000 || fresh(j) != 0 {
		t.Errorf("there are %d bytes, and %d entries are not measured", bytes, fresh(j))
	}
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
	all, _ := j.Calls(CallFilter{Limit: 2})
	if got := all[0].Err.Error(); !strings.Contains(got, "PANIC=Error method") {
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
	if kept, _ := j.Calls(CallFilter{}); len(kept) < 50 || len(kept)*2*longestError > 1<<20 {
		t.Errorf("%d calls with long errors are kept", len(kept))
	}
	runtime.KeepAlive(j)
}

// holding is an error that holds much.
type holding struct{ much *[1 << 20]byte }

func (holding) Error() string { return "much" }
