package toolscache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
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

// A failure is reported and over, as with client-go.
func TestFailuresAreReportedOnce(t *testing.T) {
	reported := collectReports(t)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var processed []string
		c := New(&cache.Config{
			Queue:         NewDeltaFIFOWithOptions(DeltaFIFOOptions{}),
			ListerWatcher: newQuiet("a", "b"),
			ObjectType:    &corev1.ConfigMap{},
			Process: func(obj any, _ bool) error {
				for _, d := range obj.(cache.Deltas) {
					processed = append(processed, fmt.Sprint(d.Object.(metav1.Object).GetName(), " ", d.Type, " after ", time.Since(start)))
				}
				return errAway
			},
		})
		runs(t, c, func() { time.Sleep(time.Minute) })
		if want := []string{"a Sync after 0s", "b Sync after 0s"}; !slices.Equal(processed, want) {
			t.Errorf("processed were %q, want %q", processed, want)
		}
	})
	if got := *reported; len(got) != 2 {
		t.Errorf("%d errors were reported, want 2: %v", len(got), got)
	}
}
