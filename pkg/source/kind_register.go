package source

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// register has an informer that is not ours tell the handler, until ctx ends. Such an
// informer does not tell what it missed, so the ledger never knows of everything.
func (k *Kind[O, R]) register(ctx context.Context, s *session, found cache.Informer, told *EventHandler[O, R]) error {
	if ledger := told.to.ledger; ledger != nil {
		ledger.Clerk().Blind(fmt.Sprintf("the cache's informer for %s is a %T, which does not tell what was missed: set NewCache to our cache.New, or call manager.Configure", describe(k.Type), found))
	}
	if !reflect.ValueOf(k.Resync).IsZero() {
		log.Info("The cache's informer knows no resync policies, so of this one only the period counts, and none shorter than the cache's SyncPeriod; for the rest set NewCache to our cache.New, or call manager.Configure",
			"source", k.String(), "informer", fmt.Sprintf("%T", found))
	}
	// A resync by the cache's period is an update to predicates. One by the source's own
	// period is a resync to them.
	told.resync = &delta.Origin{Resync: &delta.ResyncTerms{AsUpdate: k.Resync.Period <= 0 || k.Resync.AsUpdate}}
	registration, err := found.AddEventHandlerWithOptions(told, k.handlerOptions())
	if err != nil {
		return err
	}
	defer func() {
		if err := found.RemoveEventHandler(registration); err != nil {
			log.Error(err, "The handler stays with the informer of a source that has ended", "source", k.String())
		}
	}()
	if err := k.synced(ctx, registration); err != nil {
		return err
	}
	told.to.listed()
	s.synced()
	<-ctx.Done()
	return nil
}

// handlerOptions is what client-go's informers can do of the policy.
func (k *Kind[O, R]) handlerOptions() toolscache.HandlerOptions {
	logger := log.WithName("Kind")
	options := toolscache.HandlerOptions{Logger: &logger}
	switch period := k.Resync.Period; {
	case period > 0:
		options.ResyncPeriod = &period
	case period == resync.Never:
		options.ResyncPeriod = new(time.Duration)
	}
	return options
}

// synced waits until the handler has been told of the whole first list.
func (k *Kind[O, R]) synced(ctx context.Context, registration toolscache.ResourceEventHandlerRegistration) error {
	// The registration alone would do. Fakes that are not to sync say so in the cache, and
	// controller-runtime waits for all kinds, so the source asks the cache first.
	if !k.Cache.WaitForCacheSync(ctx) {
		return errors.New("cache did not sync")
	}
	select {
	case <-registration.HasSyncedChecker().Done():
		return nil
	case <-ctx.Done():
		return errors.New("handler did not sync")
	}
}
