package operator

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// onlooker is a reconciler of a ConfigMap with one step, which asks the server for a Widget.
type onlooker struct {
	api    client.Client // the server's
	widget client.ObjectKey

	mu   sync.Mutex // guards everything below; held while it is called
	step string     // of the ConfigMap, at the last call
	saw  bool       // the Widget, when the step last ran
}

// Reconcile is called by a controller.
func (o *onlooker) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	about := &corev1.ConfigMap{}
	if err := o.api.Get(ctx, request.NamespacedName, about); err != nil {
		return reconcile.Result{}, err
	}
	o.step = about.Labels[stepLabel]
	return reconcile.Result{}, delta.Plan(ctx).On(&Widget{}, "spec").Do("look", func(ctx context.Context) error {
		err := o.api.Get(ctx, o.widget, &Widget{})
		o.saw = err == nil
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

func (o *onlooker) state() (step string, saw bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.step, o.saw
}

// poke changes the ConfigMap, and waits until it has been reconciled.
func (o *onlooker) poke(t *testing.T, key client.ObjectKey, to string) {
	t.Helper()
	change(t, o.api, configMaps.with(key, to))
	await.Until(t, "the ConfigMap to be reconciled", func() bool { step, _ := o.state(); return step == to })
}

// barrier refuses the widgets of an operator while it is down.
type barrier struct{ down atomic.Bool }

func (b *barrier) around(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if !b.down.Load() || !strings.HasSuffix(r.URL.Path, "/widgets") {
				return next.RoundTrip(r)
			}
			return &http.Response{StatusCode: http.StatusForbidden, Body: io.NopCloser(strings.NewReader("as the test wants it")), Request: r}, nil
		})
	})
	return config
}

// TestWhatGoesBeforeALateFirstList has a request succeed while a part of a kind is not watched, and deletes a Widget of that part
// which a step has looked at. Then the part is listed, which tells nobody of the Widget. The step depends on it, so it has to look again.
func TestWhatGoesBeforeALateFirstList(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	for name, missing := range map[string]bool{"a namespace comes back": false, "a kind that may be missing comes": true} {
		t.Run(name, func(t *testing.T) {
			home, away := newNamespace(t, api), newNamespace(t, api)
			main, widget := client.ObjectKey{Namespace: home, Name: "main"}, client.ObjectKey{Namespace: away, Name: "w"}
			create(t, api, configMaps, main)
			create(t, api, widgets, widget)
			b, o := &barrier{}, &onlooker{api: api, widget: widget}
			b.down.Store(missing)
			c := o.control(t, b.around(config), main, away)
			await.Until(t, "the Widget to be seen", func() bool { _, saw := o.state(); return saw })
			if !missing {
				if err := c.RemoveNamespace(t.Context(), away, informer.Silently); err != nil {
					t.Fatal(err)
				}
			}
			o.poke(t, main, "2")
			if _, saw := o.state(); !saw {
				t.Fatal("the Widget is there, and was not seen")
			}
			remove(t, api, widgets, widget)
			if b.down.Store(false); !missing {
				if err := c.AddNamespace(t.Context(), away, crcache.Config{}); err != nil {
					t.Fatal(err)
				}
			}
			await.Success(t, "the Widgets to be read", func() error { return c.List(t.Context(), &WidgetList{}) })
			o.poke(t, main, "3")
			if _, saw := o.state(); saw {
				t.Error("the Widget is gone since the step last looked, and the step was skipped")
			}
		})
	}
}

// control starts a manager that has the reconciler called for a ConfigMap, and for Widgets.
func (o *onlooker) control(t *testing.T, config *rest.Config, about client.ObjectKey, away string) *cache.Cache {
	t.Helper()
	options := basicOptions()
	options.Cache = crcache.Options{DefaultNamespaces: map[string]crcache.Config{about.Namespace: {}, away: {}}}
	err := manager.Configure(&options, manager.WithCache(cache.Options{
		ByObject: map[client.Object]cache.KindOptions{&Widget{}: {Missing: cache.WaitForIt, Reflector: soon}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	m := newManager(t, config, options)
	toIt := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: about}}
	})
	if err := builder.ControllerManagedBy(m).Named("onlooker").For(&corev1.ConfigMap{}).Watches(&Widget{}, toIt).Complete(o); err != nil {
		t.Fatal(err)
	}
	started(t, m)
	return m.GetCache().(*cache.Cache) //nolint:forcetypeassert // Configure has made it
}
