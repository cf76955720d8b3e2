package cache

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// KindStatus is how one kind of the cache is doing.
type KindStatus struct {
	GVK schema.GroupVersionKind
	// Name is the GVK and, where it is not the Go type, the form: "v1 Pod (metadata)".
	Name string
	// Optional is whether the kind may be missing; see [WaitForIt].
	Optional bool `json:",omitzero"`
	// Synced is whether the kind can be read.
	Synced bool
	// DegradedSince is when the server first refused the kind, in any namespace;
	// zero if it does not.
	DegradedSince time.Time `json:",omitzero"`
	// DisconnectedSince is when the server was last heard, if all attempts since have failed; zero while
	// it answers. Of several namespaces it is the earliest.
	DisconnectedSince time.Time `json:",omitzero"`
	// Why says in words how the kind is doing, and what to do if that is not well.
	Why string
	// Informer is the rest of what there is to know: versions and freshness of each
	// namespace, how many objects there are, who listens and how far behind.
	Informer informer.Status
}

// Status tells how each kind of the cache is doing, in order of their names.
func (c *Cache) Status() []KindStatus {
	var all []KindStatus
	for _, k := range c.madeKinds() {
		all = append(all, k.status())
	}
	return all
}

func (k *kind) status() KindStatus {
	s := KindStatus{GVK: k.id.gvk, Name: k.id.String(), Optional: k.missing == WaitForIt, Informer: k.core.Status()}
	s.Synced = s.Informer.Synced
	s.DegradedSince, s.DisconnectedSince = observe.Troubles(s.Informer.Scopes)
	var whys []string
	for _, scope := range s.Informer.Scopes {
		why := scope.Reflector.Why
		degraded, disconnected := scope.Reflector.DegradedSince, scope.Reflector.DisconnectedSince
		switch {
		case !degraded.IsZero():
			why += fmt.Sprintf(" (since %s)", degraded.Format(time.RFC3339))
		case !disconnected.IsZero():
			why += fmt.Sprintf(" (disconnected since %s)", disconnected.Format(time.RFC3339))
		}
		whys = append(whys, why)
	}
	if mutated := observe.Mutated(&s.Informer); mutated != "" {
		whys = append(whys, mutated)
	}
	s.Why = strings.Join(whys, "; ")
	return s
}

// Healthz is a health check for a manager's AddHealthzCheck or AddReadyzCheck. It
// fails while the server refuses a kind or does not have it, unless the kind may be missing ([WaitForIt]) and was never there, and while a kind has not heard
// the server for as long as [Options.StaleAfter]. It says which kind, since when, why, and
// what to do about it. With StaleAfter it should be a check of readiness and not of
// liveness: to start the operator again does not bring the server back.
func (c *Cache) Healthz(*http.Request) error {
	return c.whyIll(func(s *KindStatus) bool {
		return !s.missing() && (!s.DegradedSince.IsZero() || c.isStale(s.DisconnectedSince))
	})
}

// whyIll says of each kind that is ill why it is.
func (c *Cache) whyIll(isIll func(*KindStatus) bool) error {
	var ills []error
	for _, s := range c.Status() {
		if isIll(&s) {
			ills = append(ills, errors.New(s.Why))
		}
	}
	return errors.Join(ills...)
}

func (c *Cache) isStale(since time.Time) bool {
	return c.ours.StaleAfter > 0 && !since.IsZero() && time.Since(since) >= c.ours.StaleAfter
}

// missing reports whether nobody waits for the kind, which has never been there.
func (s *KindStatus) missing() bool { return s.Optional && !s.Synced }

// OptionalHealthz is [Cache.Healthz] for the kinds that may be missing and were never there. It fails while there is one. As a check of readiness it would have
// a rollout wait for a CRD that may never come.
func (c *Cache) OptionalHealthz(*http.Request) error {
	return c.whyIll(func(s *KindStatus) bool { return s.missing() && !s.DegradedSince.IsZero() })
}

// isMade reports whether making the kind has succeeded.
func (k *kind) isMade() bool {
	select {
	case <-k.ready:
		return k.err == nil
	default:
		return false
	}
}
