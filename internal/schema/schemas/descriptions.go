package schemas

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"weak"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/schema/openapi"
)

const (
	// schemaPatience is how long a diff waits for the server to describe a kind. Somebody
	// reconciles meanwhile.
	schemaPatience = 2 * time.Second
	// schemaIdle is how long a description is kept that nobody asks for.
	schemaIdle = time.Hour
)

// descriptions are what a server says about its kinds.
type descriptions struct {
	server server

	mu lock.Mutex[lock.Descriptions]
	// known are as many as somebody has asked for, and not longer ago than schemaIdle when the
	// server is next asked for any. Never held while the server is asked.
	known map[schema.GroupVersion]*group

	making lock.Mutex[lock.SchemaTypes]
	// made are all types that are in use. New ones share with them what is equal.
	made []weak.Pointer[openapi.Types]
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
	d.used = time.Now()
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
	maps.DeleteFunc(s.known, func(_ schema.GroupVersion, g *group) bool { return g.forget(time.Now()) })
	done := make(chan struct{})
	g.loading = done
	kinds, tag := g.wanted()
	s.mu.Unlock()

	a := answer{err: errors.New("there was a panic")} // unless something else follows
	defer func() {
		if a.err != nil {
			a.err = fmt.Errorf("ask the server for the schemas of %s: %w", of, a.err)
		}
		s.mu.Lock()
		g.learn(kinds, a, time.Now())
		g.loading = nil
		close(done)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), schemaPatience)
	defer cancel()
	var document *openapi.Document
	if document, a.tag, a.err = s.server.read(ctx, of, tag); a.err == nil {
		a.types = s.typesOf(document, kinds)
	}
}

// typesOf makes the types of some kinds.
func (s *descriptions) typesOf(document *openapi.Document, kinds []string) *openapi.Types {
	s.making.Lock()
	defer s.making.Unlock()
	var others []*openapi.Types
	s.made = slices.DeleteFunc(s.made, func(p weak.Pointer[openapi.Types]) bool {
		t := p.Value()
		if t != nil {
			others = append(others, t)
		}
		return t == nil
	})
	types := document.Types(kinds, others...)
	s.made = append(s.made, weak.Make(types))
	return types
}

// doubt is told that an object is not as its kind is described.
func (s *descriptions) doubt(kind schema.GroupVersionKind, types *openapi.Types) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g, known := s.known[kind.GroupVersion()]; known {
		g.of(kind.Kind).doubt(types, time.Now())
	}
}
