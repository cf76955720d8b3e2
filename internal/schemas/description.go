package schemas

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/lock"
)

const (
	// schemaPatience is how long a diff waits for the server to describe a custom kind.
	// Somebody reconciles meanwhile.
	schemaPatience = 2 * time.Second
	// schemaRetry is how long an answer counts that was of no use.
	schemaRetry = time.Minute
	// schemaFresh is how long a description counts. Paths are checked by the description. A
	// custom kind may come to have other fields, and no object tells.
	schemaFresh = 10 * time.Minute
)

// descriptions are what the server says about its kinds.
type descriptions struct {
	server  rest.Interface
	unknown unknownFields

	mu lock.Mutex[lock.Descriptions]
	// known are as many as there are groups and versions that somebody has asked for.
	// Never held while the server is asked.
	known map[schema.GroupVersion]*description
}

// unknownFields says what becomes of fields that a description does not mention.
type unknownFields uint8

const (
	letThrough unknownFields = iota
	refused
)

// description is what the server says about the kinds of one group and version.
type description struct {
	ready chan struct{} // closed once the rest does not change any more

	converter managedfields.TypeConverter
	err       error
	at        time.Time
	until     time.Time // when the server is asked again; zero: not before it is forgotten
}

// describe returns what the server says about a group and version, and asks it if
// nobody has, or if it is time to ask again.
func (s *descriptions) describe(gv schema.GroupVersion) *description {
	s.mu.Lock()
	before, known := s.known[gv]
	d := before
	if !known || before.expired() {
		d = &description{ready: make(chan struct{})}
		s.known[gv] = d
	}
	s.mu.Unlock()
	if d != before {
		s.load(gv, d, before)
	}
	<-d.ready // which loads no longer than schemaPatience
	return d
}

// expired reports whether it is time to ask the server again.
func (d *description) expired() bool {
	select {
	case <-d.ready:
		return !d.until.IsZero() && !time.Now().Before(d.until)
	default:
		return false
	}
}

// forget has the server asked again, next time: its kinds may have changed. Not if it
// has just been asked, because then it is the object that is wrong.
func (s *descriptions) forget(gv schema.GroupVersion, d *description) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[gv] == d && time.Since(d.at) >= schemaRetry {
		delete(s.known, gv)
	}
}

// load asks the server, and goes on with what it said before if it does not answer now.
func (s *descriptions) load(gv schema.GroupVersion, d, before *description) {
	d.err = errors.New("there was a panic") // unless something else follows
	defer func() {
		d.at = time.Now()
		switch {
		case d.err == nil && s.unknown == refused:
			d.until = d.at.Add(schemaFresh)
		case d.err != nil:
			d.until = d.at.Add(schemaRetry)
			d.err = fmt.Errorf("ask the server for the schemas of %s: %w", gv, d.err)
		}
		if d.err != nil && before != nil && before.err == nil {
			d.converter, d.err = before.converter, nil
		}
		close(d.ready)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), schemaPatience)
	defer cancel()
	text, err := download(ctx, s.server, gv)
	if err != nil {
		d.err = err
		return
	}
	d.converter, d.err = openapi.NewTypeConverter(document{gv, text}, s.unknown == letThrough)
}
