package source

import (
	"context"
	"fmt"

	"k8s.io/client-go/util/workqueue"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/recording"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Recorded returns a source that is src, and has the ledger told why it makes each
// request: our Kind, Deltas and Channel tell the change or the event, and of any other
// source it is known that it was [delta.External]. It is for controllers that our builder
// does not make: in those the queue itself records.
func Recorded[R comparable](src ctrlsource.TypedSource[R], ledger *delta.Ledger[R]) ctrlsource.TypedSyncingSource[R] {
	return &recorded[R]{src: src, ledger: ledger}
}

// recorded starts a source with a queue that records. Sources of ours find that out,
// and record something better than that it was them.
type recorded[R comparable] struct {
	src    ctrlsource.TypedSource[R]
	ledger *delta.Ledger[R]
}

// Start is called by the controller.
func (r *recorded[R]) Start(ctx context.Context, queue workqueue.TypedRateLimitingInterface[R]) error {
	if _, ledger := recording.Unwrap(queue); ledger == nil && r.ledger != nil {
		queue = recording.NewQueue(queue, recording.Reason[R]{Ledger: r.ledger, Change: delta.Change{Cause: delta.External}})
	}
	return r.src.Start(ctx, queue)
}

// WaitForSync is the source's. One that has none needs no waiting for.
func (r *recorded[R]) WaitForSync(ctx context.Context) error {
	if syncing, ok := r.src.(ctrlsource.TypedSyncingSource[R]); ok {
		return syncing.WaitForSync(ctx)
	}
	return nil
}

// String is the source's name, or else its type.
func (r *recorded[R]) String() string {
	if named, ok := r.src.(fmt.Stringer); ok {
		return named.String()
	}
	return fmt.Sprintf("%T", r.src)
}
