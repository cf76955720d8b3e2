package schemas

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/schema/openapi"
)

const (
	// schemaPatience is how long a diff waits for the server to describe a kind. Somebody
	// reconciles meanwhile.
	schemaPatience = 2 * time.Second
)

// descriptions are what a server says about its kinds.
type descriptions struct {
	server server

	mu lock.Mutex[lock.Descriptions]
	// known are as many as somebody has asked for: a program asks for the kinds that it was written for.
	known map[schema.GroupVersion]*group
}

// describe returns what the server says about a kind, and asks it if nobody has, or if it
// is time to ask again.
func (s *descriptions) describe(kind schema.GroupVersionKind, needs demand) (*openapi.Types, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := kind.GroupVersion()
	g, known := s.known[of]
	if !known {
		g = &group{kinds: map[string]*description{}}
		s.known[of] = g
	}
	d := g.of(kind.Kind)
	for !d.meets(needs, time.Now()) {
		if g.loading == nil {
			s.loadLocked(of, g)
			break // it is the best answer, however long it took
		}
		loading := g.loading
		s.mu.Unlock()
		<-loading // which takes no longer than schemaPatience
		s.mu.Lock()
	}
	return d.types, d.err
}

// loadLocked asks the server for all kinds of a group and version that somebody wants. It gives
// the lock back meanwhile.
func (s *descriptions) loadLocked(of schema.GroupVersion, g *group) {
	done := make(chan struct{})
	g.loading = done
	kinds := slices.Collect(maps.Keys(g.kinds))
	s.mu.Unlock()

	var types *openapi.Types
	err := errors.New("there was a panic") // unless something else follows
	defer func() {
		if err != nil {
			err = fmt.Errorf("ask the server for the schemas of %s: %w", of, err)
		}
		s.mu.Lock()
		for _, kind := range kinds {
			g.kinds[kind].learn(kind, types, err, time.Now())
		}
		g.loading = nil
		close(done)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), schemaPatience)
	defer cancel()
	document, failed := s.server.read(ctx, of)
	if failed == nil {
		types = document.Types(kinds)
	}
	err = failed
}

// doubt is told that an object is not as its kind is described.
func (s *descriptions) doubt(kind schema.GroupVersionKind, types *openapi.Types) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g, known := s.known[kind.GroupVersion()]; known {
		g.of(kind.Kind).doubt(types, time.Now())
	}
}
