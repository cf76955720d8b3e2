package source_test

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllertest"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	ledgers "github.com/delta-runtime/delta-runtime/internal/ledger"
	recordings "github.com/delta-runtime/delta-runtime/internal/ledger/recording"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

type podObject = corev1.Pod

func namespacedName(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "team", Name: name}
}

func newFakeInformer() *controllertest.FakeInformer {
	return controllertest.NewFakeInformer(controllertest.Synced)
}

// ledgered is a source of pods with a ledger. The pods are the primary objects.
func ledgered(from ctrlcache.Cache, ledger *delta.Ledger[request], tell handler.TypedEventHandler[*podObject, request]) *source.Kind[*podObject, request] {
	return &source.Kind[*podObject, request]{
		Type: &podObject{}, Cache: from, Handler: tell, Ledger: ledger, Cause: delta.Primary, GVK: podKind,
	}
}

// recorded is a source whose controller's queue records, as that of a controller with a ledger.
type recorded struct {
	ctrlsource.Source
	ledger *delta.Ledger[request]
}

func (s recorded) Start(ctx context.Context, q queue) error {
	return s.Source.Start(ctx, recordings.NewQueue(q, recordings.Reason[request]{Ledger: s.ledger, Change: delta.Change{Cause: delta.External}}))
}

func (s recorded) WaitForSync(ctx context.Context) error {
	return s.Source.(ctrlsource.SyncingSource).WaitForSync(ctx)
}

func asked(name string) request {
	return request{NamespacedName: namespacedName(name)}
}

func forPods() handler.TypedEventHandler[*podObject, request] {
	return &handler.TypedEnqueueRequestForObject[*podObject]{}
}

// startedSynced starts a source and waits until it has synced.
func startedSynced(t *testing.T, s ctrlsource.SyncingSource, q queue) {
	t.Helper()
	syncedIn(t, t.Context(), s, q)
}

func syncedIn(t *testing.T, ctx context.Context, s ctrlsource.SyncingSource, q queue) { //nolint:revive // t comes first in a test
	t.Helper()
	started(t, ctx, s, q)
	must(t, s.WaitForSync(ctx))
}

// told takes the changes of a request from a ledger, and describes them in words.
func told(ledger *delta.Ledger[request], name string) string {
	changes := ledger.Clerk().Take(asked(name))
	defer ledger.Clerk().Settle(asked(name), ledgers.Succeeded)
	var words []string
	for c := range changes.All() {
		about := c.Cause.String() + " " + c.Op.String() + " "
		if c.Old != nil {
			about += c.Old.GetLabels()["version"]
		}
		about += "→"
		if c.New != nil {
			about += c.New.GetLabels()["version"]
		}
		if c.Missed {
			about += " missed"
		}
		if c.Relisted {
			about += " relisted"
		}
		words = append(words, about)
	}
	if !changes.Complete() {
		words = append(words, "incomplete")
	}
	return strings.Join(words, ", ")
}
