package operator

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
)

// TestTheFatalErrorNamesTheKindAtFault starts an operator that may not list Secrets. Whichever of its
// controllers gives up first, the error says which kind is missing, why, and what to do.
func TestTheFatalErrorNamesTheKindAtFault(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	r := rights{api: api, namespace: newNamespace(t, api)}
	account := r.register(t)
	r.grant(t)
	options := managerOptions()
	options.Cache.DefaultNamespaces = map[string]crcache.Config{r.namespace: {}}
	m, _ := newManagerOfOurs(t, account, options, cache.Options{})
	for name, kind := range map[string]client.Object{"healthy": &corev1.ConfigMap{}, "ill": &corev1.Secret{}} {
		err := builder.ControllerManagedBy(m).Named(name).For(kind).WithOptions(controller.Options{CacheSyncTimeout: 5 * time.Second}).
			Complete(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil }))
		must(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	began := time.Now()
	err := m.Start(ctx)
	if err == nil {
		t.Fatal("the manager ended without an error")
	}
	for _, want := range []string{"v1 Secret in namespace " + r.namespace + " is not synced", "is forbidden", "grant list and watch of the kind to the operator's account"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("after %v the manager ended with\n%v\nwhich lacks %q", time.Since(began), err, want)
		}
	}
	if strings.Contains(err.Error(), "v1 ConfigMap in namespace") {
		t.Errorf("the error blames a healthy kind: %v", err)
	}
}
