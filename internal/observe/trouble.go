package observe

import (
	"fmt"
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// Troubles returns since when the server refuses a kind in any of its scopes, and since when it has
// not been heard about any of them. Zero is never.
func Troubles(scopes []informer.ScopeStatus) (degraded, deaf time.Time) {
	for i := range scopes {
		of := &scopes[i].Reflector
		degraded, deaf = Earliest(degraded, of.DegradedSince), Earliest(deaf, of.DeafSince)
	}
	return degraded, deaf
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
