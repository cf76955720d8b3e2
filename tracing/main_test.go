package tracing_test

import (
	"context"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

var shared controlplane.Shared

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	log.SetLogger(logr.Discard())
	goleak.VerifyTestMain(shared.Around(m))
}

// recorder keeps all spans that have ended.
type recorder struct {
	provider *sdktrace.TracerProvider
	exporter *tracetest.InMemoryExporter
}

func newRecorder(t testing.TB, sampler sdktrace.Sampler) *recorder {
	t.Helper()
	r := &recorder{exporter: tracetest.NewInMemoryExporter()}
	r.provider = sdktrace.NewTracerProvider(sdktrace.WithSyncer(r.exporter), sdktrace.WithSampler(sampler))
	t.Cleanup(func() { _ = r.provider.Shutdown(context.Background()) })
	return r
}

// named returns the spans of a name, in the order in which they ended.
func (r *recorder) named(name string) (all tracetest.SpanStubs) {
	for _, s := range r.exporter.GetSpans() {
		if s.Name == name {
			all = append(all, s)
		}
	}
	return all
}

// part returns the span of a name among the parts of another one.
func (r *recorder) part(t *testing.T, of tracetest.SpanStub, name string) tracetest.SpanStub {
	t.Helper()
	for _, s := range r.named(name) {
		if s.Parent.SpanID() == of.SpanContext.SpanID() && s.SpanContext.TraceID() == of.SpanContext.TraceID() {
			return s
		}
	}
	t.Fatalf("the span %q has no part %q among %v", of.Name, name, r.exporter.GetSpans())
	return tracetest.SpanStub{}
}

// said returns what a span, an event or a link says of a thing, as text.
func said(attributes []attribute.KeyValue, of string) string {
	for _, a := range attributes {
		if string(a.Key) == of {
			return a.Value.String()
		}
	}
	return ""
}

// world is a manager on a control plane.
type world struct {
	ctrl.Manager
	api       client.Client
	namespace string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	config := shared.ForTest(t).Config()
	api, err := client.New(config, client.Options{HTTPClient: controlplane.HTTPClientForTest(t, config)})
	if err != nil {
		t.Fatal(err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "tracing-"}}
	if err := api.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	return &world{Manager: newManager(t, config), api: api, namespace: namespace.Name}
}

func newManager(t *testing.T, config *rest.Config) ctrl.Manager {
	t.Helper()
	options := ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}}
	options.Controller.SkipNameValidation = new(true) // each test makes the same controller
	if err := drmanager.Configure(&options); err != nil {
		t.Fatal(err)
	}
	m, err := ctrl.NewManager(rest.CopyConfig(config), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { controlplane.HangUp(m.GetHTTPClient()) })
	return m
}

// start runs the manager until the test ends.
func (w *world) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	var ended error
	running.Go(func() { ended = w.Start(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
		if ended != nil {
			t.Error(ended)
		}
	})
	await.Receive(t, "the manager to start", w.Elected())
}
