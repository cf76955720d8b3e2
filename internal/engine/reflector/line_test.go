package reflector

import (
	"context"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// flaky is a server that answers with an error for as long as there is one.
type flaky struct {
	*faulty.Server

	err atomic.Pointer[error]
}

func (f *flaky) List(ctx context.Context, opts metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	if err := f.err.Load(); err != nil && *err != nil {
		return listwatch.Page[faulty.Thing]{}, *err
	}
	return f.Server.List(ctx, opts)
}

// TestWhoHearsTheServerAgainTellsTheOthers has one kind back off for minutes, and another one hear the server again. The first one
// tries at once, unless its failure is about itself.
func TestWhoHearsTheServerAgainTellsTheOthers(t *testing.T) {
	refused := apierrors.NewForbidden(schema.GroupResource{Resource: "things"}, "", nil)
	for name, tt := range map[string]struct {
		err  error
		soon bool
	}{
		"no connection": {syscall.ECONNREFUSED, true},
		"forbidden":     {refused, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				line := &Line{}
				start := func(first time.Duration) (*flaky, *Reflector[faulty.Thing]) {
					server := &flaky{Server: calm(t)}
					server.err.Store(&tt.err)
					r := New[faulty.Thing](server, &bin{}, faulty.KeyOf, Options[faulty.Thing]{
						Line:     line,
						Settings: informer.Settings{Lists: informer.PagesOnly, Backoff: informer.Backoff{Initial: first, Max: first, Factor: 1}},
					})
					run(t, r)
					return server, r
				}
				patient, slow := start(time.Hour)
				quick, _ := start(time.Second)
				time.Sleep(10 * time.Second)
				for _, server := range []*flaky{patient, quick} {
					server.err.Store(nil)
				}
				time.Sleep(10 * time.Second)
				if synced := slow.Status().SyncedOnce; synced != tt.soon {
					t.Errorf("ten seconds after the server is back, the patient kind has listed: %t", synced)
				}
			})
		})
	}
}

// bin is a sink that keeps nothing.
type bin struct{ Sink[faulty.Thing] }

func (*bin) Replace([]faulty.Thing, Replacement) error { return nil }
func (*bin) Bookmark(string) error                     { return nil }

// tantalizing is a server that lists, and whose watches never open.
type tantalizing struct {
	*faulty.Server
	lists int
}

func (s *tantalizing) List(ctx context.Context, opts metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	s.lists++
	time.Sleep(100 * time.Millisecond)
	return s.Server.List(ctx, opts)
}

func (*tantalizing) Watch(context.Context, metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	return nil, syscall.ECONNRESET
}

// TestKindsDoNotKeepOneAnotherAwake has two kinds list, and neither watch. Each hears the server again and again, and neither loses its
// back-off for that.
func TestKindsDoNotKeepOneAnotherAwake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := &Line{}
		var servers []*tantalizing
		for range 2 {
			server := &tantalizing{Server: calm(t)}
			r := New[faulty.Thing](server, &bin{}, faulty.KeyOf, Options[faulty.Thing]{Line: line, Settings: informer.Settings{Lists: informer.PagesOnly}})
			run(t, r)
			servers = append(servers, server)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		for _, s := range servers {
			if s.lists < 5 || s.lists > 60 {
				t.Errorf("a kind was listed %d times in ten minutes", s.lists)
			}
		}
	})
}
