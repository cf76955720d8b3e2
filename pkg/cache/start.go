package cache

import (
	"context"
	"errors"
	"time"
)

// patience is how long a start waits while nothing arrives of the missing kinds. A manager that is
// told to end hears of it only after that wait, and then has to end within the rest of its
// grace period, which may be as short as ten seconds.
const patience = 5 * time.Second

// WaitForCacheSync waits until everything that has been asked for is there, and
// returns false if ctx or the cache ends first. A kind is not part of the cache as long as
// the API server has not said that it has it, nor is one that is removed meanwhile. A kind
// that may be missing counts as soon as it is known to be.
//
// With the context that Start has been called with, it does not wait for ever: once
// nothing has arrived for five seconds, it returns true and logs which kinds are not
// there. controller-runtime's manager waits with that context, and does not hear that it is
// to end before this wait is over. Reads and GetInformer go on waiting for those kinds, and
// so do controllers that watch them.
func (c *Cache) WaitForCacheSync(ctx context.Context) bool {
	select {
	case <-c.started:
	case <-ctx.Done():
		return false
	}
	kinds := c.madeKinds()
	if ctx.Done() != nil && ctx.Done() == c.ending { // it ends exactly when the context does that the cache runs with
		return c.awaitArrivals(ctx, kinds)
	}
	_, ok := c.awaitKinds(ctx, ctx, kinds)
	return ok
}

// awaitArrivals waits for kinds for as long as anything of them arrives, and logs which it leaves behind then.
func (c *Cache) awaitArrivals(ctx context.Context, kinds []*kind) (ok bool) {
	for before := arrivals(kinds); len(kinds) > 0; before = arrivals(kinds) {
		window, cancel := context.WithTimeout(ctx, patience)
		left, ok := c.awaitKinds(ctx, window, kinds)
		cancel()
		switch {
		case !ok:
			return false
		case len(left) == len(kinds) && arrivals(left) == before:
			for _, k := range left {
				c.ours.Log.Info("The start no longer waits for a kind; reads of it do",
					"kind", k.id.String(), "waited", patience.String(), "why", k.status().Why)
			}
			return true
		}
		kinds = left
	}
	return true
}

// awaitKinds waits for kinds until window ends, and returns those that are not there
// yet. It reports false if ctx or the cache ends.
func (c *Cache) awaitKinds(ctx, window context.Context, kinds []*kind) (left []*kind, ok bool) {
	for _, k := range kinds {
		err := k.await(window, c.ended)
		switch {
		case ctx.Err() != nil && err != nil, errors.Is(err, errStopped):
			return nil, false
		case window.Err() != nil && err != nil:
			left = append(left, k)
		}
	}
	return left, true
}

// arrivals is how much has ever arrived of kinds.
func arrivals(kinds []*kind) (n uint64) {
	for _, k := range kinds {
		n += k.arrived.Load()
	}
	return n
}
