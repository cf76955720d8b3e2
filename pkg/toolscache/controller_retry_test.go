package toolscache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
)

// quiet is a server with these ConfigMaps, whose one watch the test holds.
type quiet struct {
	names   []string
	watched *watch.FakeWatcher
}

func newQuiet(names ...string) *quiet {
	return &quiet{names: names, watched: watch.NewFake()}
}

func (q *quiet) List(metav1.ListOptions) (runtime.Object, error) {
	list := &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: "10"}}
	for _, name := range q.names {
		list.Items = append(list.Items, *configMap(name, "1"))
	}
	return list, nil
}

func (q *quiet) Watch(metav1.ListOptions) (watch.Interface, error) { return q.watched, nil }

// IsWatchListSemanticsUnSupported has it listed.
func (q *quiet) IsWatchListSemanticsUnSupported() bool { return true }

// attempts records what a Process was called with, and when.
type attempts struct {
	start time.Time
	seen  []string
}

func (a *attempts) note(obj any) (name string) {
	deltas := obj.(cache.Deltas)
	name = deltas.Newest().Object.(metav1.Object).GetName()
	types := make([]string, 0, len(deltas))
	for _, d := range deltas {
		types = append(types, string(d.Type))
	}
	a.seen = append(a.seen, fmt.Sprintf("%s %s after %v", name, strings.Join(types, "+"), time.Since(a.start)))
	return name
}

func (a *attempts) want(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(a.seen, want) {
		t.Errorf("processed were\n%s\nwant\n%s", strings.Join(a.seen, "\n"), strings.Join(want, "\n"))
	}
}

// withRetry runs a retrying controller in a bubble, until test returns.
func withRetry(t *testing.T, retry Retry, process func(obj any) error, test func(*quiet, cache.Controller)) {
	t.Helper()
	api := newQuiet("a", "b")
	c, err := NewControllerWithOptions(&cache.Config{
		Queue:         NewDeltaFIFOWithOptions(DeltaFIFOOptions{}),
		ListerWatcher: api,
		ObjectType:    &corev1.ConfigMap{},
		Process:       func(obj any, _ bool) error { return process(obj) },
	}, ControllerOptions{Retry: &retry})
	if err != nil {
		t.Fatal(err)
	}
	g := lifecycle.New(t.Context())
	g.Guest("controller", c.RunWithContext)
	test(api, c)
	stopped := time.Now()
	g.Stop()
	_ = g.Wait()
	if took := time.Since(stopped); took > 0 {
		t.Errorf("to stop took %v, it should not wait for a retry", took)
	}
}

// collectReports returns what is reported through client-go's error handlers until
// the test ends.
func collectReports(t *testing.T) *[]error {
	t.Helper()
	var reported []error
	was := utilruntime.ErrorHandlers
	t.Cleanup(func() { utilruntime.ErrorHandlers = was })   //nolint:reassign // it is there to be set
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{ //nolint:reassign // it is there to be set
		func(_ context.Context, err error, _ string, _ ...any) { reported = append(reported, err) },
	}
	return &reported
}

var errAway = errors.New("the database is away")

// What failed is tried again before anything else, together with what has arrived
// for it meanwhile, after pauses that double up to the longest.
func TestRetryKeepsItsPlaceAndBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := attempts{start: time.Now()}
		process := func(obj any) error {
			if log.note(obj) == "a" && len(log.seen) < 5 {
				return errAway
			}
			return nil
		}
		withRetry(t, Retry{First: 100 * time.Millisecond, Longest: 300 * time.Millisecond}, process, func(api *quiet, c cache.Controller) {
			time.Sleep(150 * time.Millisecond)
			api.watched.Modify(configMap("b", "11"))
			api.watched.Modify(configMap("a", "12"))
			time.Sleep(time.Second)
			if !c.HasSynced() {
				t.Error("not synced although everything was processed")
			}
		})
		log.want(t,
			"a Sync after 0s",
			"a Sync after 100ms",
			"a Sync+Updated after 300ms",
			"a Sync+Updated after 600ms",
			"a Sync+Updated after 900ms",
			"b Sync+Updated after 900ms",
		)
	})
}

// The number of failures in a row is what is limited: a success, or giving up,
// starts a new count.
func TestRetryGivesUpAfterItsAttempts(t *testing.T) {
	reported := collectReports(t)
	synctest.Test(t, func(t *testing.T) {
		log := attempts{start: time.Now()}
		process := func(obj any) error {
			if log.note(obj) == "a" || len(log.seen) == 4 {
				return errAway
			}
			return nil
		}
		withRetry(t, Retry{Attempts: 3}, process, func(api *quiet, c cache.Controller) {
			time.Sleep(time.Second)
			if !c.HasSynced() {
				t.Error("not synced although what failed was given up")
			}
			api.watched.Modify(configMap("a", "11"))
			time.Sleep(time.Second)
		})
		log.want(t,
			"a Sync after 0s", "a Sync after 5ms", "a Sync after 15ms",
			"b Sync after 15ms", "b Sync after 20ms",
			"a Updated after 1s", "a Updated after 1.005s", "a Updated after 1.015s",
		)
	})
	if got := *reported; len(got) != 2 || !errors.Is(got[0], errAway) || !errors.Is(got[1], errAway) {
		t.Errorf("reported were %v, want the error twice: once for each time that it was given up", got)
	}
}

func TestRetryEndsWithItsController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := attempts{start: time.Now()}
		process := func(obj any) error {
			log.note(obj)
			return errAway
		}
		withRetry(t, Retry{First: time.Hour, Longest: time.Hour}, process, func(_ *quiet, c cache.Controller) {
			synctest.Wait()
			if c.HasSynced() {
				t.Error("synced although nothing could be processed")
			}
		})
		log.want(t, "a Sync after 0s")
	})
}

func TestRetryPausesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := retryState{Retry: Retry{}}
		start := time.Now()
		for range 100 {
			r.failed(errAway)
		}
		r.pause(t.Context())
		if got, want := time.Since(start), 30*time.Second; got != want {
			t.Errorf("the pause after a hundred failures is %v, want %v", got, want)
		}
	})
}

func TestRetryNeedsAQueueThatTakesBack(t *testing.T) {
	config := &cache.Config{Queue: cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{})}
	if _, err := NewControllerWithOptions(config, ControllerOptions{Retry: &Retry{}}); err == nil || !strings.Contains(err.Error(), "*cache.DeltaFIFO") {
		t.Errorf("retrying on client-go's queue gives %v, want an error that names its type", err)
	}
	if _, err := NewControllerWithOptions(config, ControllerOptions{}); err != nil {
		t.Errorf("client-go's queue without retrying gives %v", err)
	}
}

// Without the option a failure is reported and over, as with client-go.
func TestNoRetryUnlessAskedFor(t *testing.T) {
	reported := collectReports(t)
	synctest.Test(t, func(t *testing.T) {
		log := attempts{start: time.Now()}
		c := New(&cache.Config{
			Queue:         NewDeltaFIFOWithOptions(DeltaFIFOOptions{}),
			ListerWatcher: newQuiet("a", "b"),
			ObjectType:    &corev1.ConfigMap{},
			Process: func(obj any, _ bool) error {
				log.note(obj)
				return errAway
			},
		})
		g := lifecycle.New(t.Context())
		g.Guest("controller", c.RunWithContext)
		time.Sleep(time.Minute)
		g.Stop()
		_ = g.Wait()
		log.want(t, "a Sync after 0s", "b Sync after 0s")
	})
	if got := *reported; len(got) != 2 {
		t.Errorf("%d errors were reported, want 2: %v", len(got), got)
	}
}
