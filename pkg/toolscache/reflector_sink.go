package toolscache

import (
	"fmt"
	"sync"

	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// storeSink shows a client-go store to the core's Reflector.
type storeSink struct {
	store     cache.ReflectorStore
	versions  cache.ResourceVersionUpdater // nil unless the store is one
	bookmarks cache.ReflectorBookmarkStore // nil unless the store is one

	replaced func() // called after each Replace; nil if nobody waits
}

var _ reflector.Sink[any] = (*storeSink)(nil)

func newStoreSink(store cache.ReflectorStore) *storeSink {
	s := &storeSink{store: store}
	s.versions, _ = store.(cache.ResourceVersionUpdater)
	s.bookmarks, _ = store.(cache.ReflectorBookmarkStore)
	return s
}

// ingest is the store's transformer, or nil. The store itself applies it once
// more in Replace, as client-go's do: transformers are idempotent.
func (s *storeSink) ingest() func(any) (any, error) {
	if store, ok := s.store.(cache.TransformingStore); ok {
		if transform := store.Transformer(); transform != nil {
			return transform
		}
	}
	return nil
}

// awaitReplace returns a channel that the next Replace closes. The Reflector must
// not be running.
func (s *storeSink) awaitReplace() <-chan struct{} {
	done := make(chan struct{})
	s.replaced = sync.OnceFunc(func() { close(done) })
	return done
}

func (s *storeSink) Push(d delta.Delta[any], position string) error {
	err := s.apply(d.Op, d.New)
	s.moveTo(position)
	return err
}

func (s *storeSink) apply(op delta.Op, obj any) error {
	switch op {
	case delta.Added:
		return s.store.Add(obj)
	case delta.Updated:
		return s.store.Update(obj)
	case delta.Deleted:
		return s.store.Delete(obj)
	case delta.Replaced, delta.Sync, delta.OutOfScope: // no watch brings these
	}
	panic(fmt.Sprintf("BUG: a watch brought the op %v", op))
}

// Replace drops what r says beside the version: a client-go store has no notion
// of it, and compares nothing anyway.
func (s *storeSink) Replace(objs []any, r reflector.Replacement) error {
	if err := s.store.Replace(objs, r.Version); err != nil {
		return err
	}
	if s.replaced != nil {
		s.replaced()
	}
	return nil
}

func (s *storeSink) Bookmark(version string) error {
	var err error
	if s.bookmarks != nil {
		err = s.bookmarks.Bookmark(version)
	}
	s.moveTo(version)
	return err
}

func (s *storeSink) moveTo(version string) {
	if s.versions != nil && version != "" {
		s.versions.UpdateResourceVersion(version)
	}
}

// keyOrAddress is an object's key. One without metadata gets its address, so that
// it reaches the store, whose key function has the last word on it.
func keyOrAddress(obj any) (delta.Key, error) {
	key, err := objects.Key(obj)
	if err != nil {
		return delta.Key{Name: fmt.Sprintf("%T at %p", obj, obj)}, nil //nolint:nilerr // as the comment says
	}
	return key, nil
}
