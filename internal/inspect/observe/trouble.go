package observe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// Troubles returns since when the server refuses a kind in any of its scopes, and since when it has
// not been heard about any of them. Zero is never.
func Troubles(scopes []informer.ScopeStatus) (degraded, disconnected time.Time) {
	for i := range scopes {
		of := &scopes[i].Reflector
		degraded, disconnected = Earliest(degraded, of.DegradedSince), Earliest(disconnected, of.DisconnectedSince)
	}
	return degraded, disconnected
}

// Mutated says which object of a kind somebody has changed in place; empty if none was found.
func Mutated(s *informer.Status) string {
	if s.Mutated == nil {
		return ""
	}
	return fmt.Sprintf("Somebody has changed an object of the cache in place: %s, at %s. Deep-copy an object before you change it.",
		s.Mutated.Key, strings.Join(s.Mutated.Paths, " and "))
}

// Earliest returns the earlier of two times, where zero is none.
func Earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// ErrCacheStopped is returned by a cache that has ended. It makes no informer any more.
var ErrCacheStopped = errors.New("the cache has stopped")

type successorKey struct{}

// AskForSuccessor returns a context with which GetInformer makes no informer: it waits until somebody else has asked
// for the kind. So a source does not bring back what somebody has removed. A cache that does not know of it gives
// what it has.
func AskForSuccessor(ctx context.Context) context.Context {
	return context.WithValue(ctx, successorKey{}, true)
}

// IsForSuccessor reports whether ctx is from [AskForSuccessor].
func IsForSuccessor(ctx context.Context) bool { return ctx.Value(successorKey{}) != nil }

// Sample returns about as many objects of an informer as asked for, evenly chosen, and how many there are.
func Sample(of *engine.Informer[any], most int) (sample []any, objects int) {
	view := of.Store().View()
	defer view.Release()
	every, n := max(1, view.Len()/most), 0
	for _, obj := range view.All() {
		if n%every == 0 {
			sample = append(sample, obj)
		}
		n++
	}
	return sample, view.Len()
}
