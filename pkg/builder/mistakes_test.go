package builder_test

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrlbuilder "sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// nobodys is a kind that no scheme has.
type nobodys struct{ corev1.ConfigMap }

func (n *nobodys) DeepCopyObject() runtime.Object { return n }

// TestMistakesAreCalledAsTheyCallThem makes the same mistakes with both builders, and
// compares the errors.
func TestMistakesAreCalledAsTheyCallThem(t *testing.T) {
	type (
		ours   = *builder.Builder
		theirs = *ctrlbuilder.Builder
	)
	enqueue := &handler.EnqueueRequestForObject{}
	for name, c := range map[string]struct {
		ours   func(ours) ours
		theirs func(theirs) theirs
	}{
		"nothing": {func(b ours) ours { return b }, func(b theirs) theirs { return b }},
		"no name": {
			func(b ours) ours { return b.Watches(&corev1.Pod{}, enqueue) },
			func(b theirs) theirs { return b.Watches(&corev1.Pod{}, enqueue) },
		},
		"no watches": {func(b ours) ours { return b.Named("n") }, func(b theirs) theirs { return b.Named("n") }},
		"two kinds": {
			func(b ours) ours { return b.For(&corev1.Pod{}).For(&corev1.Secret{}) },
			func(b theirs) theirs { return b.For(&corev1.Pod{}).For(&corev1.Secret{}) },
		},
		"an owner of nothing": {
			func(b ours) ours { return b.Named("n").Owns(&corev1.Pod{}) },
			func(b theirs) theirs { return b.Named("n").Owns(&corev1.Pod{}) },
		},
		"nobody's kind": {
			func(b ours) ours { return b.For(&nobodys{}) },
			func(b theirs) theirs { return b.For(&nobodys{}) },
		},
		"nobody's metadata": {
			func(b ours) ours { return b.Named("n").WatchesMetadata(&nobodys{}, enqueue) },
			func(b theirs) theirs { return b.Named("n").WatchesMetadata(&nobodys{}, enqueue) },
		},
		"nobody's metadata, owned": {
			func(b ours) ours { return b.For(&corev1.Pod{}).Owns(&nobodys{}, builder.OnlyMetadata) },
			func(b theirs) theirs { return b.For(&corev1.Pod{}).Owns(&nobodys{}, ctrlbuilder.OnlyMetadata) },
		},
		"two reconcilers": {
			func(b ours) ours { return b.For(&corev1.Pod{}).WithOptions(controller.Options{Reconciler: noop}) },
			func(b theirs) theirs { return b.For(&corev1.Pod{}).WithOptions(controller.Options{Reconciler: noop}) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newFakeManager(&informertest.FakeInformers{})
			made, err := c.ours(builder.ControllerManagedBy(m)).Build(noop)
			_, want := c.theirs(ctrlbuilder.ControllerManagedBy(m)).Build(noop)
			if err == nil || made != nil || strings.ReplaceAll(err.Error(), "builder_test.", "") != strings.ReplaceAll(want.Error(), "builder_test.", "") {
				t.Errorf("Build returned %v, %v; theirs: %v", made, err, want)
			}
		})
	}
	none, mine := ctrlbuilder.ControllerManagedBy(nil).For(&corev1.Pod{}), builder.ControllerManagedBy(nil).For(&corev1.Pod{})
	for _, r := range []reconcile.Reconciler{nil, noop} {
		if err, want := mine.Complete(r), none.Complete(r); err == nil || err.Error() != want.Error() {
			t.Errorf("without a manager, reconciler %v: %v, want %v", r, err, want)
		}
	}
	typed := reconcile.TypedFunc[string](func(context.Context, string) (reconcile.Result, error) { return reconcile.Result{}, nil })
	m := newFakeManager(&informertest.FakeInformers{})
	err, want := builder.TypedControllerManagedBy[string](m).For(&corev1.Pod{}).Complete(typed), ctrlbuilder.TypedControllerManagedBy[string](m).For(&corev1.Pod{}).Complete(typed)
	if err == nil || err.Error() != want.Error() {
		t.Errorf("For with requests of another type: %v, want %v", err, want)
	}
}

// TestMistakesThatOnlyOursKnows is about options that controller-runtime's builder does not
// have.
func TestMistakesThatOnlyOursKnows(t *testing.T) {
	m := newFakeManager(&informertest.FakeInformers{})
	bad := resync.Policy{Rate: -1}
	for want, b := range map[string]*builder.Builder{
		"WithResync() can only be used together with For()": builder.ControllerManagedBy(m).Named("n").
			Watches(&corev1.Pod{}, &handler.EnqueueRequestForObject{}).WithResync(resync.Policy{Period: time.Hour}),
		"resync policy for *v1.Pod: ":       builder.ControllerManagedBy(m).For(&corev1.Pod{}).WithResync(bad),
		"resync policy for *v1.Secret: ":    builder.ControllerManagedBy(m).For(&corev1.Pod{}).Owns(&corev1.Secret{}, builder.WithResyncPolicy(bad)),
		"resync policy for *v1.ConfigMap: ": builder.ControllerManagedBy(m).For(&corev1.Pod{}).Watches(&corev1.ConfigMap{}, nil, builder.WithResyncPolicy(bad)),
	} {
		if err := b.Complete(noop); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Complete returned %v, want %s", err, want)
		}
	}
}
