package answers

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// errIdle says that there is nothing to act on.
var errIdle = errors.New("the cache does not run")

// act does something with the cache and a kind of it.
func (o *Operator) act(kind string, do func(observe.Cache, observe.Kind) error) error {
	c := o.runtime.Cache()
	if c == nil {
		return fmt.Errorf("%w: %w", inspector.ErrUnable, errIdle)
	}
	k, err := o.kind(kind)
	if err != nil {
		return err
	}
	if err := do(c, k); err != nil {
		return fmt.Errorf("%w: %w", inspector.ErrUnable, err)
	}
	return nil
}

// Resync is the [inspector.Subject]'s.
func (o *Operator) Resync(ctx context.Context, kind string, selector labels.Selector) (v1.Done, error) {
	if selector == nil {
		selector = labels.Everything()
	}
	err := o.act(kind, func(c observe.Cache, k observe.Kind) error { return c.Resync(ctx, k.Example, selector) })
	which := "All objects"
	if !selector.Empty() {
		which = "The objects with " + selector.String()
	}
	return done(err, "%s of %s are shown to those who take part in resyncs.", which, kind)
}

// Relist is the [inspector.Subject]'s.
func (o *Operator) Relist(ctx context.Context, kind string) (v1.Done, error) {
	err := o.act(kind, func(c observe.Cache, k observe.Kind) error { return c.Relist(ctx, k.Example) })
	return done(err, "%s was listed again.", kind)
}

// SetPolicy is the [inspector.Subject]'s.
func (o *Operator) SetPolicy(_ context.Context, kind string, policy resync.Policy) (v1.Done, error) {
	err := o.act(kind, func(c observe.Cache, k observe.Kind) error { return c.SetResync(k.Example, policy) })
	says := describePolicy(&policy)
	if says == "" {
		says = "never"
	}
	return done(err, "From now on objects of %s are shown unchanged %s.", kind, says)
}

// Forget is the [inspector.Subject]'s.
func (o *Operator) Forget(_ context.Context, request inspector.Request) (v1.Done, error) {
	key, requests, err := o.requests(request)
	if err != nil {
		return v1.Done{}, err
	}
	if requests.Forget(key) {
		return done(nil, "The failures of %s %s are forgotten, and it is queued now.", request.Controller, key)
	}
	return done(nil, "The failures of %s %s are forgotten. It did not wait for a timer.", request.Controller, key)
}

// Cancel is the [inspector.Subject]'s.
func (o *Operator) Cancel(_ context.Context, request inspector.Request) (v1.Done, error) {
	key, requests, err := o.requests(request)
	if err != nil {
		return v1.Done{}, err
	}
	if !requests.Cancel(key) {
		return v1.Done{}, fmt.Errorf("%w: %s %s does not wait for a timer", inspector.ErrUnable, request.Controller, key)
	}
	o.journal.Controller(request.Controller).Dismiss(key)
	return done(nil, "The timer of %s %s is cancelled. The next event of its object has it called.%s", request.Controller, key, stillWaits(requests.Waiting(key).Len()))
}

// stillWaits says what becomes of the changes of a request without a timer: the ledger keeps them.
func stillWaits(changes int) string {
	switch changes {
	case 0:
		return ""
	case 1:
		return " That call is told the change that waits."
	default:
		return fmt.Sprintf(" That call is told the %d changes that wait.", changes)
	}
}

func (o *Operator) requests(of inspector.Request) (delta.Key, observe.Requests, error) {
	key := delta.Key{Namespace: of.Namespace, Name: of.Name}
	c, err := o.controller(of.Controller)
	switch {
	case err != nil:
		return key, nil, err
	case c.Requests == nil:
		return key, nil, fmt.Errorf("%w: the requests of controller %q are of a type of its own", inspector.ErrUnable, of.Controller)
	default:
		return key, c.Requests, nil
	}
}

func done(err error, format string, args ...any) (v1.Done, error) {
	if err != nil {
		return v1.Done{}, err
	}
	return v1.Done{Message: fmt.Sprintf(format, args...)}, nil
}
