package skip

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// refusedValue is the value that oddly refuses: "r", in base64 as in the JSON of a Secret.
const refusedValue = "cg=="

// oddly is a transform that does odd things to some objects. It gives some another Go type
// than that of their kind. A handler for the type can't get these. It refuses some Secrets,
// so that the cache keeps their old states.
func oddly(obj any) (any, error) {
	odd := false
	switch obj := obj.(type) {
	case *corev1.ConfigMap:
		odd = obj.Data["a"] == "r"
	case *corev1.Secret:
		if string(obj.Data["k"]) == "r" {
			return nil, errors.New("as the world wants it")
		}
		odd = string(obj.Data["tls.crt"]) == "r"
	}
	if !odd {
		return obj, nil
	}
	about := obj.(client.Object)
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: about.GetNamespace(), Name: about.GetName(), UID: about.GetUID(), Labels: about.GetLabels(),
		Annotations: about.GetAnnotations(), OwnerReferences: about.GetOwnerReferences(), ResourceVersion: about.GetResourceVersion(),
	}}, nil
}

// typedSource is a source whose handler takes objects of one Go type.
func typedSource[O client.Object](l *life, example client.Object, tell *handling) ctrlsource.Source {
	return source.NewKind(l.manager.GetCache(), example.(O), handler.TypedEventHandler[O, reconcile.Request](typedHandling[O]{tell}))
}

// typedHandling passes on events with objects of one Go type.
type typedHandling[O client.Object] struct{ to *handling }

// Create passes an event on.
func (h typedHandling[O]) Create(ctx context.Context, e event.TypedCreateEvent[O], q queue) {
	h.to.Create(ctx, event.CreateEvent{Object: e.Object, IsInInitialList: e.IsInInitialList}, q)
}

// Update passes an event on.
func (h typedHandling[O]) Update(ctx context.Context, e event.TypedUpdateEvent[O], q queue) {
	h.to.Update(ctx, event.UpdateEvent{ObjectOld: e.ObjectOld, ObjectNew: e.ObjectNew}, q)
}

// Delete passes an event on.
func (h typedHandling[O]) Delete(ctx context.Context, e event.TypedDeleteEvent[O], q queue) {
	h.to.Delete(ctx, event.DeleteEvent{Object: e.Object, DeleteStateUnknown: e.DeleteStateUnknown}, q)
}

// Generic passes an event on.
func (h typedHandling[O]) Generic(ctx context.Context, e event.TypedGenericEvent[O], q queue) {
	h.to.Generic(ctx, event.GenericEvent{Object: e.Object}, q)
}
