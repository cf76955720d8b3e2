package manager_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// onePod is a server that has one Pod, to which nothing happens.
type onePod struct{}

// RoundTrip answers a list, and a watch with silence.
func (onePod) RoundTrip(r *http.Request) (*http.Response, error) {
	body := io.NopCloser(strings.NewReader(
		`{"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"web","namespace":"team","resourceVersion":"5"}}]}`))
	if r.URL.Query().Has("watch") {
		silent, end := io.Pipe()
		context.AfterFunc(r.Context(), func() { _ = end.Close() })
		body = silent
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body, Request: r}, nil
}

// TestARelistCallsNobodyForWhatIsUnchanged lists a kind once more. Handlers are called for objects that have not changed
// if the options ask for it, and not otherwise.
func TestARelistCallsNobodyForWhatIsUnchanged(t *testing.T) {
	for name, c := range map[string]struct {
		shows *bool
		want  int
	}{"as Configure has it": {nil, 0}, "asked for": {new(true), 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mgr, err := newManager(&rest.Config{Host: "http://server", Transport: onePod{}}, options(), manager.WithCache(cache.Options{
					Default: cache.KindOptions{ShowUnchanged: c.shows, Reflector: informer.Settings{Lists: informer.PagesOnly}},
				}))
				must(t, err)
				ours, err := cache.Unwrap(mgr.GetCache())
				must(t, err)
				pods, err := ours.GetInformer(t.Context(), &corev1.Pod{}, crcache.BlockUntilSynced(false))
				must(t, err)
				added, updated := 0, 0 // read when nobody is called
				if _, err := pods.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
					AddFunc: func(any) { added++ }, UpdateFunc: func(_, _ any) { updated++ },
				}); err != nil {
					t.Fatal(err)
				}
				tasks := lifecycle.New(t.Context())
				tasks.Go("cache", ours.Start)
				synctest.Wait()
				must(t, ours.Relist(t.Context(), &corev1.Pod{}))
				synctest.Wait()
				if added != 1 || updated != c.want {
					t.Errorf("the handler was told of %d additions and %d updates, want 1 and %d", added, updated, c.want)
				}
				tasks.Stop()
				if err := tasks.Wait(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
