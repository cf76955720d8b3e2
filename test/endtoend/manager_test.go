package endtoend

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

// newManager makes a manager with one controller, as a user's main does.
func (s *subject) newManager() (manager.Manager, error) {
	scenario, seen := s.Scenario, s.seen
	config := &rest.Config{Host: s.Server, QPS: -1} // as ctrl.GetConfig sets it
	if scenario.Replays > 0 {
		config.Wrap(s.lists.wrap)
	}
	if scenario.Form == typedJSON {
		config.ContentType = runtime.ContentTypeJSON
	}
	options := ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}}
	if scenario.Strip {
		options.Cache.DefaultTransform = crcache.TransformStripManagedFields()
	}
	if scenario.Side == ours {
		if err := drmanager.Configure(&options); err != nil {
			return nil, err
		}
	}
	mgr, err := ctrl.NewManager(config, options)
	if err != nil {
		return nil, fmt.Errorf("make the manager: %w", err)
	}
	reconciler := reconcile.Func(func(_ context.Context, request reconcile.Request) (reconcile.Result, error) {
		seen.reconciled(request.NamespacedName)
		return reconcile.Result{}, nil
	})
	if scenario.Side == ours {
		return mgr, builder.ControllerManagedBy(mgr).For(scenario.object()).WithEventFilter(seen.predicate()).Complete(reconciler)
	}
	return mgr, ctrl.NewControllerManagedBy(mgr).For(scenario.object()).WithEventFilter(seen.predicate()).Complete(reconciler)
}

// object is an empty object of the kind in the form.
func (s scenario) object() client.Object {
	if s.Form != untyped {
		return &corev1.Pod{}
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(workloads)
	return u
}

// list reads objects of the kind in the form, by namespace/name.
func (s scenario) list(ctx context.Context, from client.Reader, opts ...client.ListOption) (map[string]client.Object, error) {
	var list client.ObjectList = &corev1.PodList{}
	if s.Form == untyped {
		u := &unstructured.UnstructuredList{}
		u.SetGroupVersionKind(workloads)
		list = u
	}
	if err := from.List(ctx, list, opts...); err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	objects := map[string]client.Object{}
	err := meta.EachListItem(list, func(item runtime.Object) error {
		obj, ok := item.(client.Object)
		if !ok {
			return fmt.Errorf("a list has a %T", item)
		}
		objects[obj.GetNamespace()+"/"+obj.GetName()] = obj
		return nil
	})
	return objects, err
}
