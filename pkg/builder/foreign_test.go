package builder

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// gappy is a cache whose kinds have lost namespaces.
type gappy struct {
	observe.Resyncer // none: nothing is asked of it
	kinds            []observe.Kind
}

func (*gappy) Record(*journal.Journal) {}

func (c *gappy) Kinds() []observe.Kind { return c.kinds }

// silent is a server that never answers.
type silent struct{}

func (silent) List(ctx context.Context, _ metav1.ListOptions) (listwatch.Page[any], error) {
	<-ctx.Done()
	return listwatch.Page[any]{}, ctx.Err()
}

func (silent) Watch(ctx context.Context, _ metav1.ListOptions) (listwatch.Stream[any], error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// kindWithGaps returns a kind that has left out so much.
func kindWithGaps(t *testing.T, n int) observe.Kind {
	t.Helper()
	i := engine.New[any](silent{}, engine.Options[any]{Name: "v1 Pod", Traits: objects.Traits})
	for range n {
		if err := i.RemoveScope("", informer.Silently); err != nil {
			t.Fatal(err)
		}
		if err := i.AddScope(engine.Scope[any]{ListWatcher: silent{}}); err != nil {
			t.Fatal(err)
		}
	}
	return observe.Kind{Informer: i}
}

func TestGapsOfACacheOnlyGrow(t *testing.T) {
	of := managed.New()
	counts := &cacheGaps{of: of}
	if n := counts.count(); n != 0 {
		t.Errorf("without a cache there are %d gaps", n)
	}
	c := &gappy{}
	defer of.Runs(c)()
	last := uint64(0)
	for _, step := range []struct {
		kinds []observe.Kind
		grows bool
	}{
		{[]observe.Kind{kindWithGaps(t, 0)}, false},
		{[]observe.Kind{kindWithGaps(t, 3)}, true},
		{[]observe.Kind{kindWithGaps(t, 3)}, false},
		{[]observe.Kind{kindWithGaps(t, 3), kindWithGaps(t, 1)}, true},
		{[]observe.Kind{kindWithGaps(t, 1)}, true}, // a kind is gone
		{[]observe.Kind{kindWithGaps(t, 1)}, false},
		{[]observe.Kind{kindWithGaps(t, 2)}, true},
	} {
		c.kinds = step.kinds
		if n := counts.count(); n < last || (n > last) != step.grows {
			t.Errorf("there are %d gaps after %d, want them to grow: %v", n, last, step.grows)
		} else {
			last = n
		}
	}
}

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
