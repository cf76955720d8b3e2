package source

import (
	"context"
	"fmt"

	"k8s.io/client-go/util/workqueue"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/ledger/recording"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Recorded returns a source that does what src does, and tells the ledger why it makes each
// request. For a Kind, a Channel and the source of [NewDeltas] that is the change or the event.
// For any other source it is [delta.External]. Use it in controllers that our builder does not
// make. In those that it makes, the queue itself records.
func Recorded[R comparable](src ctrlsource.TypedSource[R], ledger *delta.Ledger[R]) ctrlsource.TypedSyncingSource[R] {
	return &recorded[R]{src: src, ledger: ledger}
}

// recorded starts a source with a queue that records requests as External. Sources of ours
// unwrap the queue, and record more.
type recorded[R comparable] struct {
	src    ctrlsource.TypedSource[R]
	ledger *delta.Ledger[R]
}

// Start starts the source.
func (r *recorded[R]) Start(ctx context.Context, queue workqueue.TypedRateLimitingInterface[R]) error {
	if _, ledger := recording.Unwrap(queue); ledger == nil && r.ledger != nil {
		queue = recording.NewQueue(queue, recording.Reason[R]{Ledger: r.ledger, Change: delta.Change{Cause: delta.External}})
	}
	return r.src.Start(ctx, queue)
}

// WaitForSync waits for the source, if one can wait for it.
func (r *recorded[R]) WaitForSync(ctx context.Context) error {
	if syncing, ok := r.src.(ctrlsource.TypedSyncingSource[R]); ok {
		return syncing.WaitForSync(ctx)
	}
	return nil
}

// String returns the source's name, or else its type.
func (r *recorded[R]) String() string {
	if named, ok := r.src.(fmt.Stringer); ok {
		return named.String()
	}
	return fmt.Sprintf("%T", r.src)
}
