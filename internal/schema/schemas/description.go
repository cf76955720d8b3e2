package schemas

import (
	"fmt"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/schema/openapi"
)

const (
	// schemaRetry is how long an answer counts that was of no use.
	schemaRetry = time.Minute
	// schemaFresh is how long a description counts if paths are checked by it. A kind may come to
	// have other fields, and no object tells.
	schemaFresh = 10 * time.Minute
)

// group is what the server says about the kinds of one group and version. It says that in one
// document.
type group struct {
	kinds map[string]*description
	// loading is closed when the server has been asked. It is nil if nobody asks it.
	loading chan struct{}
}

// description is what the server says about one kind.
type description struct {
	types *openapi.Types // that have the kind, as the server described it last; nil if it never did
	err   error          // why there are no types

	asked  time.Time // when it was asked last
	until  time.Time // how long this counts
	misfit bool      // an object was otherwise
}

// demand is how good a description has to be.
type demand uint8

const (
	// anyAge is for objects, which show by themselves that a description is old.
	anyAge demand = iota
	// newest is for paths, which don't.
	newest
)

// of returns the description of a kind.
func (g *group) of(kind string) *description {
	d, known := g.kinds[kind]
	if !known {
		d = &description{}
		g.kinds[kind] = d
	}
	return d
}

// meets reports whether there is no need to ask the server.
func (d *description) meets(needs demand, now time.Time) bool {
	return !d.misfit && (now.Before(d.until) || needs == anyAge && d.types != nil)
}

// learn is told what came of asking the server: types, or an error.
func (d *description) learn(kind string, types *openapi.Types, err error, now time.Time) {
	if err == nil {
		if _, err = types.Of(kind); err != nil {
			err = fmt.Errorf("look for the type of a %s: %w", kind, err)
		}
	}
	d.asked, d.misfit, d.until = now, false, now.Add(schemaRetry)
	switch {
	case err == nil:
		d.types, d.err, d.until = types, nil, now.Add(schemaFresh)
	case d.types == nil: // else these count on: a server that has just started may not describe all its kinds yet
		d.err = err
	}
}

// doubt notes that an object is not as described. The server is asked again then, unless it
// has just been asked: in that case it is the object that is wrong.
func (d *description) doubt(types *openapi.Types, now time.Time) {
	if d.types == types && now.Sub(d.asked) >= schemaRetry {
		d.misfit = true
	}
}
