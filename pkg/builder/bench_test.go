package builder_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// BenchmarkReconcile has a server stream changes of ConfigMaps over HTTP to a controller
// whose reconciler does nothing: what is metered is all that happens between the two,
// and the server.
func BenchmarkReconcile(b *testing.B) {
	for _, c := range []struct {
		name          string
		ledger, reads bool
	}{{"ledger=off", false, false}, {"ledger=on", true, false}, {"ledger=read", true, true}} {
		b.Run(c.name, func(b *testing.B) {
			api := newStream(b)
			r := &counting{caughtUp: make(chan struct{}, 1)}
			tasks := startManager(b, api.URL, func(m manager.Manager) error {
				made := builder.ControllerManagedBy(m).For(&corev1.ConfigMap{}).WithOptions(controller.Options{MaxConcurrentReconciles: 2})
				if !c.ledger {
					made.WithoutLedger()
				}
				if c.reads {
					return made.Complete(reading{r})
				}
				return made.Complete(r)
			})
			r.await(streamed) // the first list
			b.ReportAllocs()
			b.ResetTimer()
			cpu := benchkit.StartCPU()
			for sent := 0; sent < b.N; {
				n := min(streamed, b.N-sent) // each key once, so that each change is a reconcile
				r.expect(n)
				api.rounds <- n
				<-r.caughtUp
				sent += n
			}
			b.StopTimer()
			cpu.Report(b, b.N)
			tasks.Stop()
			must(b, tasks.Wait())
		})
	}
}

// streamed is how many ConfigMaps there are.
const streamed = 2000

// reading is a reconciler that looks at what it is told.
type reading struct{ to reconcile.Reconciler }

func (r reading) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	changes := delta.From(ctx)
	if changes.Complete() && changes.Only(delta.Sync) {
		return reconcile.Result{}, nil
	}
	for change := range changes.All() {
		if change.Cause == delta.Retry {
			panic("nothing fails here")
		}
	}
	return r.to.Reconcile(ctx, request)
}

// counting is a reconciler that counts.
type counting struct {
	left     atomic.Int64
	caughtUp chan struct{}
}

func (c *counting) expect(n int) { c.left.Add(int64(n)) }

func (c *counting) await(n int) {
	c.expect(n)
	for c.left.Load() != 0 {
		<-c.caughtUp
	}
}

// Reconcile counts.
func (c *counting) Reconcile(context.Context, reconcile.Request) (reconcile.Result, error) {
	if c.left.Add(-1) == 0 {
		c.caughtUp <- struct{}{}
	}
	return reconcile.Result{}, nil
}

// startManager runs a manager over our cache, with one controller.
func startManager(b *testing.B, server string, add func(manager.Manager) error) *lifecycle.Group {
	b.Helper()
	m, err := manager.New(&rest.Config{Host: server}, manager.Options{
		NewCache: cache.New, Metrics: metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true)},
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) {
			mapper := meta.NewDefaultRESTMapper(nil)
			mapper.Add(configMap, meta.RESTScopeNamespace)
			return mapper, nil
		},
	})
	must(b, err)
	must(b, add(m))
	tasks := lifecycle.New(b.Context())
	tasks.Go("manager", m.Start)
	b.Cleanup(m.GetHTTPClient().CloseIdleConnections)
	return tasks
}

// stream is a server with ConfigMaps, which changes as many as it is told.
type stream struct {
	*httptest.Server
	rounds  chan int
	before  [][]byte // the text of each, up to its version
	after   []byte
	version uint64
}

func newStream(b *testing.B) *stream {
	b.Helper()
	s := &stream{rounds: make(chan int), version: 1000}
	for i := range streamed {
		obj := &corev1.ConfigMap{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("settings-%05d", i), Namespace: team, ResourceVersion: "VERSION",
				Labels: map[string]string{"app": "web", "tier": "front"},
			},
			Data: map[string]string{"a": "some value", "b": "another value that is a bit longer"},
		}
		text, err := json.Marshal(obj)
		must(b, err)
		begin, end, _ := bytes.Cut(text, []byte("VERSION"))
		s.before, s.after = append(s.before, begin), end
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	b.Cleanup(s.Close)
	return s
}

func (s *stream) serve(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case query.Get("sendInitialEvents") != "":
		http.Error(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`, http.StatusUnprocessableEntity)
	case query.Get("watch") != "":
		s.watch(w, r)
	default:
		s.list(w)
	}
}

func (s *stream) list(w http.ResponseWriter) {
	text := []byte(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1000"},"items":[`)
	for i := range s.before {
		if i > 0 {
			text = append(text, ',')
		}
		text = s.object(text, i, 1000)
	}
	_, _ = w.Write(append(text, "]}"...))
}

func (s *stream) object(text []byte, i int, version uint64) []byte {
	text = append(text, s.before[i]...)
	text = strconv.AppendUint(text, version, 10)
	return append(text, s.after...)
}

func (s *stream) watch(w http.ResponseWriter, r *http.Request) {
	to := http.NewResponseController(w)
	_ = to.Flush()
	var text []byte
	for {
		select {
		case n := <-s.rounds:
			for i := range n {
				s.version++
				text = append(text[:0], `{"type":"MODIFIED","object":`...)
				text = append(s.object(text, i, s.version), "}\n"...)
				_, _ = w.Write(text)
			}
			_ = to.Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// BenchmarkPending measures what the ledger costs for each request that waits with one
// change.
func BenchmarkPending(b *testing.B) {
	const pending = 100_000
	for b.Loop() {
		ledger := delta.NewLedger[reconcile.Request](delta.LedgerOptions{})
		names := make([]reconcile.Request, pending)
		for i := range names {
			names[i] = named(strconv.Itoa(i))
		}
		obj, now := newObject(configMap, "x"), time.Now()
		heap := benchkit.StartHeap()
		for _, r := range names {
			ledger.Clerk().Record(r, delta.Change{
				Cause: delta.Primary, Kind: configMap, Key: delta.Key{Namespace: r.Namespace, Name: r.Name},
				Op: delta.Updated, Old: obj, New: obj, First: now, Last: now, Deltas: 1,
			})
			ledger.Clerk().Landed(r)
		}
		heap.Report(b, pending, ledger, names)
	}
}
