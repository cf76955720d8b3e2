package source

import (
	"cmp"
	"context"
	"errors"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// subscribe has our informer tell the handler, until ctx or the informer ends. It reports true
// if there may be another informer then.
func (k *Kind[O, R]) subscribe(ctx context.Context, s *session, ours subscribable, told *EventHandler[O, R]) (again bool, err error) {
	missed := told.to.from(ours)
	subscribe := ours.Subscribe
	if told.to.ledger != nil {
		subscribe = ours.SubscribeComparing
	}
	sub, err := subscribe(outlivingPanics(told.deliver), informer.SubscribeOptions{
		Name: cmp.Or(k.Name, k.String()), Resync: k.Resync,
	})
	if err != nil {
		return errors.Is(err, engine.ErrStopped), err
	}
	defer ours.Unsubscribe(sub)
	told.to.missed.Store(missed)
	if !s.answered() && !k.Cache.WaitForCacheSync(ctx) { // see synced; once synced, a source waits for no other kind
		return false, errNotSynced
	}
	return s.stay(ctx, sub, told.to.listed)
}

// afterPanic is how long a handler that has panicked is left alone, where panics are
// configured not to end the process. Our informers leave client-go's handlers alone for as
// long.
const afterPanic = time.Second

// outlivingPanics returns a subscriber that logs a panic of deliver, unless panics end the
// process. One goroutine at a time may call it.
func outlivingPanics(deliver func(*delta.Delta[any])) func(*delta.Delta[any]) {
	panicked := false // in the last call
	return func(d *delta.Delta[any]) {
		if panicked {
			time.Sleep(afterPanic)
		}
		panicked = true
		defer utilruntime.HandleCrashWithLogger(log.WithName("Kind"))
		deliver(d)
		panicked = false
	}
}
