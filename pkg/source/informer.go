package source

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

var log = logf.Log.WithName("source")

const (
	firstRetry   = 250 * time.Millisecond // a CRD is often installed at the same moment
	longestRetry = 10 * time.Second
)

// findInformer asks the cache for obj's informer until there is one. Somebody may install the
// kind later, or put right what else is wrong.
func (s *session) findInformer(ctx context.Context, obj client.Object) (cache.Informer, error) {
	for wait := firstRetry; ; wait = min(2*wait, longestRetry) {
		found, err := s.from.GetInformer(ctx, obj)
		if err == nil {
			s.missing.Store(nil)
			return found, nil
		}
		s.missing.Store(&err)
		if ctx.Err() == nil && !errors.Is(err, observe.ErrCacheStopped) {
			complain(err, wait)
			ended := s.pause(ctx, wait, err) // those who give up read err meanwhile
			if ended == nil {
				continue
			}
			return nil, fmt.Errorf("failed to get informer from cache: %w", ended)
		}
		return nil, fmt.Errorf("failed to get informer from cache: %w", err)
	}
}

// pause returns nil after a time. If the cache ends sooner, nobody need ask it again. If ctx does, it returns why.
func (s *session) pause(ctx context.Context, wait time.Duration, why error) error {
	var ended <-chan struct{} // nil if the cache does not say it
	if of := managed.Of(s.from); of != nil {
		ended = of.Ended()
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ended:
		return observe.ErrCacheStopped
	case <-ctx.Done():
		return why
	}
}

// complain logs what to do about a kind that has no informer.
func complain(err error, next time.Duration) {
	var missing *meta.NoKindMatchError
	switch {
	case errors.As(err, &missing):
		log.Error(err, "The API server does not know this kind: install its CRD", "kind", missing.GroupKind, "retryAfter", next.String())
	case runtime.IsNotRegisteredError(err):
		log.Error(err, "The scheme does not know this kind: register it with the manager's scheme", "retryAfter", next.String())
	default:
		log.Error(err, "The cache gave no informer", "retryAfter", next.String())
	}
}

// subscribable is an informer that tells deltas: ours, and that of the walk through all interleavings.
type subscribable interface {
	Subscribe(func(*delta.Delta[any]), informer.SubscribeOptions) (*engine.Subscription[any], error)
	SubscribeComparing(func(*delta.Delta[any]), informer.SubscribeOptions) (*engine.Subscription[any], error)
	Unsubscribe(*engine.Subscription[any])
	counts
}

// counts is what an informer counts of what it could not tell its subscribers.
type counts interface {
	// Gaps returns how many times the informer could not tell something.
	Gaps() uint64
	// Relists returns how many times the informer had to list again. It does not know what was undone in between.
	Relists() uint64
}

// withCore is an informer of ours behind client-go's interface.
type withCore interface {
	Core() *engine.Informer[any]
}

// coreOf returns nil for an informer that is not ours.
func coreOf(found cache.Informer) *engine.Informer[any] {
	if ours, ok := found.(withCore); ok {
		return ours.Core()
	}
	return nil
}

// subscribableOf returns the informer of ours that the cache gave, or an error. It does not
// look at the cache, because users wrap caches.
func subscribableOf(found cache.Informer) (subscribable, error) {
	switch found := found.(type) {
	case subscribable:
		return found, nil
	case withCore:
		return found.Core(), nil
	default:
		return nil, fmt.Errorf("the cache's informer is a %T, which has no deltas: "+
			"they need an informer of delta-runtime (cache.Options.NewInformer: toolscache.NewSharedIndexInformer)", found)
	}
}
