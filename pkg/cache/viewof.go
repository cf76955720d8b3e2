package cache

import (
	"context"
	"fmt"

	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ViewOf returns the objects of like's kind, in like's form, as they are now: they
// are not copied and must not be changed, and the view stays as it is while the
// cache goes on. c is a cache that [New] or [NewWithOptions] made. Release the view when
// done.
func ViewOf[T client.Object](ctx context.Context, c crcache.Cache, like T) (*View[T], error) {
	ours, ok := c.(*Cache)
	if !ok {
		return nil, fmt.Errorf("view %T in a cache: it is a %T, not one of ours", like, c)
	}
	id, err := ours.idOf(like)
	if err != nil {
		return nil, fmt.Errorf("view %T in the cache: %w", like, err)
	}
	k, err := ours.readable(ctx, id)
	if err != nil {
		return nil, err
	}
	return newView[T](k.reader.Load())
}
