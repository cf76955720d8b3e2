package canary

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	crconfig "sigs.k8s.io/controller-runtime/pkg/config"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/inspect"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// operator has everything switched on that puts anything out.
type operator struct {
	ctrlmanager.Manager

	hunt                        *hunt
	voice                       voice
	cache                       *cache.Cache
	inspector, metrics, healthz string // addresses
	queues                      queues
	stumbles                    atomic.Int64
	content                     atomic.Bool // one reconciler has written enough

	mu   sync.Mutex // guards seen
	seen sets.Set[string]
}

// newOperator makes an operator for the objects of one namespace.
func newOperator(t *testing.T, h *hunt, config *rest.Config, namespace string) *operator {
	t.Helper()
	o := &operator{
		hunt: h, voice: voice{h, &repeats{all: map[string]int{}}}, seen: sets.New[string](),
		inspector: controlplane.FreeAddressForTest(t), metrics: controlplane.FreeAddressForTest(t), healthz: controlplane.FreeAddressForTest(t),
	}
	options := ctrlmanager.Options{
		Scheme:                  scheme.Scheme,
		Metrics:                 metricsserver.Options{BindAddress: o.metrics},
		HealthProbeBindAddress:  o.healthz,
		GracefulShutdownTimeout: new(time.Minute),
		Controller:              crconfig.Controller{SkipNameValidation: new(true)},
		Cache: crcache.Options{
			DefaultNamespaces: map[string]crcache.Config{namespace: {}},
			ByObject:          map[client.Object]crcache.ByObject{&corev1.Secret{}: {Transform: o.transform}},
		},
	}
	soon := informer.Settings{Backoff: informer.Backoff{Initial: 50 * time.Millisecond, Max: 200 * time.Millisecond}}
	ours := cache.Options{
		Default:    cache.KindOptions{Reflector: soon, Resync: resync.Policy{Period: 2 * time.Second}},
		StaleAfter: time.Millisecond,
	}
	must(t, manager.Configure(&options, manager.WithCache(ours)))
	var err error
	if o.Manager, err = ctrlmanager.New(config, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { controlplane.HangUp(o.GetHTTPClient()) })
	if o.cache, err = cache.Unwrap(o.GetCache()); err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		manager.AddInspector(o.Manager, inspect.Options{BindAddress: o.inspector, AllowActions: true, Deltas: 5000}),
		o.AddHealthzCheck("cache", o.cache.Healthz), o.AddReadyzCheck("cache", o.health),
	)
	must(t, err)
	o.control(t)
	return o
}

// health is a check that also says to the hunt what a check only logs or withholds.
func (o *operator) health(r *http.Request) error {
	err := o.cache.Healthz(r)
	if err != nil {
		o.hunt.collect("Healthz", []byte(err.Error()))
	}
	return err
}

// run starts the operator, and has it end with the test.
func (o *operator) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := o.Start(ctx); err != nil {
			t.Errorf("the operator ended with: %v", err)
		}
	})
	t.Cleanup(func() { cancel(); running.Wait() })
	await.Receive(t, "the operator to start", o.Elected())
	await.Until(t, "the cache to fill", func() bool { return o.GetCache().WaitForCacheSync(ctx) })
}

// transform is an operator's own, which refuses one Secret and stumbles over another.
func (o *operator) transform(obj any) (any, error) {
	about, err := client.ObjectKeyFromObject(obj.(client.Object)), error(nil)
	switch about.Name {
	case "sealed-refused":
		err = fmt.Errorf("transform %s: it is refused", about)
	case "sealed-stumble":
		if o.stumbles.Add(1) <= 4 {
			panic("the transform stumbles over " + about.Name)
		}
	}
	return obj, err
}

// noted has the test know that a reconciler has been called for an object.
func (o *operator) noted(controller, name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen.Insert(controller + " " + name)
}

// awaitCall waits until a controller was called for an object.
func (o *operator) awaitCall(t *testing.T, controller, name string) {
	t.Helper()
	await.Until(t, controller+" to be called for "+name, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.seen.Has(controller + " " + name)
	})
}

// noteStatus prints what the cache says of itself.
func (o *operator) noteStatus(ctx context.Context) {
	for _, status := range o.cache.Status() {
		o.voice.say(ctx, status, status.Informer, status.Informer.Reflector, status.Informer.Resync)
		for _, scope := range status.Informer.Scopes {
			o.voice.say(ctx, scope, scope.Reflector, scope.Reflector.LastError, scope.Reflector.LastSkipped)
		}
		o.hunt.collect("Status", fmt.Appendf(nil, "%s %v", status.Why, status))
	}
}

// trouble is when, or how often, the cache last could not read a Secret as its Go type. A map may have
// anything in it.
func (o *operator) trouble() string {
	for _, status := range o.cache.Status() {
		if status.Name == "v1 Secret" {
			return fmt.Sprint(status.Informer.Reflector.LastErrorAt, status.Informer.Reflector.Skipped)
		}
	}
	return "there are no Secrets"
}

// custom is a kind that is called Secret and is none of Kubernetes'.
var custom = schema.GroupVersionKind{Group: "vault.example.com", Version: "v1", Kind: "Secret"}

func newCustom() *unstructured.Unstructured {
	about := &unstructured.Unstructured{}
	about.SetGroupVersionKind(custom)
	return about
}

// asMap is a Secret as a map.
func asMap() *unstructured.Unstructured {
	about := &unstructured.Unstructured{}
	about.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return about
}

// asMetadata is a Secret's metadata.
func asMetadata() *metav1.PartialObjectMetadata {
	about := &metav1.PartialObjectMetadata{}
	about.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return about
}
