package builder

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/source"
)

func TestWhichSourcesAreForeign(t *testing.T) {
	tell := &handler.EnqueueRequestForObject{}
	for _, of := range []struct {
		source  ctrlsource.Source
		foreign bool
	}{
		{ctrlsource.Kind(nil, client.Object(&corev1.Pod{}), handler.EventHandler(tell)), true},
		{ctrlsource.Func(func(context.Context, workqueue.TypedRateLimitingInterface[reconcile.Request]) error { return nil }), true},
		{nil, true},
		{source.NewKind(nil, client.Object(&corev1.Pod{}), handler.EventHandler(tell)), false},
	} {
		if isForeign(of.source) != of.foreign {
			t.Errorf("%T is foreign: %v", of.source, !of.foreign)
		}
	}
}
