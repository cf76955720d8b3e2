package source

import (
	"context"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/ledger/recording"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Channel is controller-runtime's source.Channel, and takes its options. A ledger learns that
// each request is [delta.Generic], and which object the event is about.
func Channel[O any](
	events <-chan event.TypedGenericEvent[O], tell handler.TypedEventHandler[O, reconcile.Request],
	opts ...ctrlsource.ChannelOpt[O, reconcile.Request],
) ctrlsource.Source {
	return TypedChannel(events, tell, opts...)
}

// TypedChannel is [Channel] for requests of any type.
func TypedChannel[O any, R comparable](
	events <-chan event.TypedGenericEvent[O], tell handler.TypedEventHandler[O, R], opts ...ctrlsource.ChannelOpt[O, R],
) ctrlsource.TypedSource[R] {
	if !objects.IsNil(tell) { // else Start returns an error
		tell = generic[O, R]{tell}
	}
	return ctrlsource.TypedChannel(events, tell, opts...)
}

// generic calls a handler with a queue of its own for each event, if the source was started
// with a queue that records.
type generic[O any, R comparable] struct {
	handler.TypedEventHandler[O, R]
}

// Generic handles one event of a channel.
func (g generic[O, R]) Generic(ctx context.Context, e event.TypedGenericEvent[O], queue workqueue.TypedRateLimitingInterface[R]) {
	if to, ledger := recording.Unwrap(queue); ledger != nil {
		queue = recording.NewQueue(to, recording.Reason[R]{Ledger: ledger, Change: ledger.Clerk().Once(genericChange(e.Object, time.Now()))})
	}
	g.TypedEventHandler.Generic(ctx, e, queue)
}

// genericChange returns what an event is to the ledger. It names the object if about is one.
func genericChange(about any, now time.Time) delta.Change {
	c := delta.Change{Cause: delta.Generic, First: now, Last: now}
	if obj, ok := about.(delta.Object); ok && !objects.IsNil(obj) {
		c.Kind = obj.GetObjectKind().GroupVersionKind()
		c.Key = delta.Key{Namespace: obj.GetNamespace(), Name: obj.GetName()}
		c.New = obj
	}
	return c
}
