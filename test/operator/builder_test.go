package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// caches are those that a controller of ours can have.
var caches = map[string]crcache.NewCacheFunc{"ours": cache.New, "controller-runtime": crcache.New}

// TestAReconcilerIsToldWhatChanged lets our builder make a controller that reconciles a kind,
// owns another one and watches a third one. It checks what the reconciler is told about each
// write. It runs over our cache, and over controller-runtime's, where the changes can't be
// complete.
func TestAReconcilerIsToldWhatChanged(t *testing.T) {
	for name, construct := range caches {
		t.Run(name, func(t *testing.T) {
			config := administrator(t)
			api := directly(t, config)
			namespace := newNamespace(t, api)
			options := managerOptions()
			options.NewCache = construct
			m := newManager(t, config, options)
			r := &listening{namespace: namespace, complete: name == "ours"}
			made, err := builder.ControllerManagedBy(m).
				For(&Widget{}).
				Owns(&appsv1.Deployment{}).
				Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(toTheWidget)).
				WithOptions(controller.Options{CacheSyncTimeout: await.Patience}).
				Build(r)
			if err != nil {
				t.Fatal(err)
			}
			stop := started(t, m)
			r.awaitWatches(t, api)
			r.play(t, api)
			if status := builder.LedgerOf(made).Status(); status.Changes != 0 || (status.Blind == "") != r.complete {
				t.Errorf("when all changes are settled the ledger has %+v", status)
			}
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// theWidget is the name of the reconciled widget in each of several namespaces.
const theWidget = "w"

// toTheWidget maps an object with the label of a step to the widget of its namespace.
func toTheWidget(_ context.Context, obj client.Object) []reconcile.Request {
	if _, ok := obj.GetLabels()[stepLabel]; !ok {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: obj.GetNamespace(), Name: theWidget}}}
}

// listening is a reconciler that notes what it is told about the widget of a namespace.
type listening struct {
	namespace string
	complete  bool // whether its changes should be complete once a call has succeeded

	mu   sync.Mutex // guards everything below
	told []string   // since the last check
	odd  []string   // changes that are complete, or not, by mistake
	fail bool       // fail the next call
	done bool       // a call has succeeded
	// watching is set when another widget was reconciled. That happens only after the first
	// objects were told.
	watching bool
}

func (l *listening) awaitWatches(t *testing.T, api client.Client) {
	t.Helper()
	create(t, api, widgets, client.ObjectKey{Namespace: l.namespace, Name: "other"})
	await.Until(t, "the controller to watch", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.watching
	})
}

// Reconcile is called by a controller.
func (l *listening) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	if request.Namespace != l.namespace {
		return reconcile.Result{}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if request.Name != theWidget {
		l.watching = true
		return reconcile.Result{}, nil
	}
	changes := delta.From(ctx)
	if changes.Complete() != (l.complete && l.done) {
		l.odd = append(l.odd, changes.String())
	}
	for c := range changes.All() {
		l.told = append(l.told, inWords(c))
	}
	if l.fail {
		l.fail = false
		return reconcile.Result{}, errors.New("as the test wants it")
	}
	l.done = true
	return reconcile.Result{}, nil
}

// inWords says from which step to which step an object was changed.
func inWords(c delta.Change) string {
	if c.Kind.Kind == "" {
		return c.Cause.String()
	}
	step := func(obj delta.Object) string {
		if obj == nil {
			return ""
		}
		return obj.GetLabels()[stepLabel]
	}
	return fmt.Sprintf("%s %s %s %s→%s", c.Cause, c.Kind.Kind, c.Op, step(c.Old), step(c.New))
}

// play writes, and checks after each step what the reconciler was told about it.
func (l *listening) play(t *testing.T, api client.Client) {
	t.Helper()
	widget := client.ObjectKey{Namespace: l.namespace, Name: theWidget}
	settings := client.ObjectKey{Namespace: l.namespace, Name: "settings"}
	create(t, api, widgets, widget)
	l.awaits(t, "Primary Widget Added →1")
	change(t, api, widgets.with(widget, "2"))
	l.awaits(t, "Primary Widget Updated 1→2")

	if err := api.Create(t.Context(), l.owned(t, api)); err != nil {
		t.Fatal(err)
	}
	l.awaits(t, "Owned Deployment Added →1")
	create(t, api, configMaps, settings)
	l.awaits(t, "Mapped ConfigMap Added →1")

	l.mu.Lock()
	l.fail = true
	l.mu.Unlock()
	change(t, api, configMaps.with(settings, "2"))
	l.awaits(t, "Mapped ConfigMap Updated 1→2", "Retry", "Mapped ConfigMap Updated 1→2")
	remove(t, api, configMaps, settings)
	l.awaits(t, "Mapped ConfigMap Deleted 2→2")
	remove(t, api, widgets, widget)
	l.awaits(t, "Primary Widget Deleted 2→2")
	if len(l.odd) > 0 {
		t.Errorf("these changes are wrong, because their completeness should be %t: %q", l.complete, l.odd)
	}
}

// owned is a Deployment of the widget.
func (l *listening) owned(t *testing.T, api client.Client) *appsv1.Deployment {
	t.Helper()
	var owner Widget
	if err := api.Get(t.Context(), client.ObjectKey{Namespace: l.namespace, Name: theWidget}, &owner); err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{stepLabel: "1"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: l.namespace, Name: "owned", Labels: labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(&owner, widgets.GroupVersionKind)},
		},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
			},
		},
	}
}

// awaits waits until the reconciler has been told this, and nothing else.
func (l *listening) awaits(t *testing.T, want ...string) {
	t.Helper()
	var told []string
	await.Until(t, "the reconciler to be told "+strings.Join(want, ", "), func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		told = slices.Clone(l.told)
		if len(told) < len(want) {
			return false
		}
		l.told = nil
		return true
	})
	if !slices.Equal(told, want) {
		t.Errorf("the reconciler was told %q, want %q", told, want)
	}
}
