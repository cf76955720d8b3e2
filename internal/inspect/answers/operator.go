package answers

import (
	"context"
	"fmt"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// Options say what is asked.
type Options struct {
	// Runtime is of the manager that is asked about.
	Runtime *managed.Runtime
	// Schemas make differences exact in lists that are maps or sets. They may be nil.
	Schemas diff.Schemas
	// Limits bound the journal.
	Limits journal.Limits
	// Elected is closed once the manager's controllers may run. Nil means that they may.
	Elected <-chan struct{}
}

// Operator is what runs of one manager.
type Operator struct {
	runtime *managed.Runtime
	schemas diff.Schemas
	journal *journal.Journal
	elected <-chan struct{}
	past    past
}

var _ inspector.Subject = (*Operator)(nil)

// New returns an Operator whose journal is empty.
func New(opts Options) *Operator {
	return &Operator{runtime: opts.Runtime, schemas: opts.Schemas, journal: journal.New(opts.Limits), elected: opts.Elected}
}

// Journal is where the operator looks for deltas and calls.
func (o *Operator) Journal() *journal.Journal { return o.journal }

// Run has the journal note what happens, and takes samples, until ctx ends.
func (o *Operator) Run(ctx context.Context) {
	defer o.runtime.Record(o.journal)()
	group := lifecycle.New(ctx)
	group.Guest("take samples", func(ctx context.Context) { o.past.run(ctx, o.runtime.Controllers) })
	group.Guest("bound the journal", o.journal.Run)
	_ = group.Wait() // a guest has no error
}

// kinds returns the kinds of the cache.
func (o *Operator) kinds() []observe.Kind {
	if c := o.runtime.Cache(); c != nil {
		return c.Kinds()
	}
	return nil
}

func (o *Operator) unmade() []observe.Unmade {
	if c := o.runtime.Cache(); c != nil {
		return c.Unmade()
	}
	return nil
}

// kind returns the kind of that name.
func (o *Operator) kind(name string) (observe.Kind, error) {
	for _, k := range o.kinds() {
		if k.Name == name {
			return k, nil
		}
	}
	return observe.Kind{}, fmt.Errorf("kind %q: %w", name, inspector.ErrNotFound)
}

// controller returns the controller of that name.
func (o *Operator) controller(name string) (*observe.Controller, error) {
	for _, c := range o.runtime.Controllers() {
		if c.Name == name {
			return c, nil
		}
	}
	return nil, fmt.Errorf("controller %q: %w", name, inspector.ErrNotFound)
}

// KindNames is the [inspector.Subject]'s.
func (o *Operator) KindNames() (all []v1.Kind) {
	for _, k := range o.kinds() {
		all = append(all, v1.Kind{Name: k.Name, Group: k.GVK.Group, Version: k.GVK.Version, Kind: k.GVK.Kind})
	}
	return all
}

// ControllerNames is the [inspector.Subject]'s.
func (o *Operator) ControllerNames() (all []string) {
	for _, c := range o.runtime.Controllers() {
		all = append(all, c.Name)
	}
	return all
}
