package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// askedPaths are the paths that a reconciler asks about in objects of one kind.
type askedPaths struct {
	example client.Object
	texts   []string
}

// WithPaths names paths that the reconciler asks about in objects of the example's kind,
// with [delta.Changes.Touches] for instance, so that a path which can't exist is found
// before it is asked for. It can be called for several kinds.
//
// Paths of typed objects are checked by [TypedBuilder.Build], which returns an error.
// Those of unstructured objects, and of metadata alone, are checked when the controller
// starts, by what the server says of the kind. What is wrong then is an error in the log,
// and ends nothing: the path counts as touched, so the reconciler does all its work. The
// kind may come later than the controller, or get the field later, and nobody should be
// kept from starting by what only saves work.
func (b *TypedBuilder[R]) WithPaths(example client.Object, paths ...string) *TypedBuilder[R] {
	b.asked = append(b.asked, askedPaths{example, slices.Clone(paths)})
	return b
}

// checkPaths checks what WithPaths named, and has the ledger check what the reconciler
// asks for.
func (b *TypedBuilder[R]) checkPaths() error {
	var errs []error
	var later []askedPaths
	for _, asked := range b.asked {
		if asked.example == nil {
			return errors.New("WithPaths() must be given an example of the objects")
		}
		for _, text := range asked.texts {
			if err := delta.CheckPath(asked.example, text); err != nil {
				errs = append(errs, fmt.Errorf("check what WithPaths() names for %T: %w", asked.example, err))
			}
		}
		if untyped(asked.example) {
			later = append(later, asked)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if b.ledgers.Watched == nil {
		all := b.examples()
		b.ledgers.Watched = func() []delta.Object { return all }
	}
	if b.ledgers.Log.IsZero() {
		b.ledgers.Log = b.logger()
	}
	if len(later) == 0 {
		return nil
	}
	if b.ledgers.Schemas == nil {
		b.ledgers.Schemas = schemasOf(b.mgr)
	}
	return b.mgr.Add(&pathCheck{asked: later, schemas: b.ledgers.Schemas, log: b.ledgers.Log})
}

// examples has one object of each kind that is watched, or of which paths are known to be
// asked for. What a raw source shows is not known.
func (b *TypedBuilder[R]) examples() []delta.Object {
	var all []delta.Object
	if b.forInput.object != nil {
		all = append(all, b.forInput.object)
	}
	for _, in := range b.owned {
		all = append(all, in.object)
	}
	for _, in := range b.watched {
		all = append(all, in.object)
	}
	for _, asked := range b.asked {
		all = append(all, asked.example)
	}
	return all
}

// logger is for what is wrong with a path.
func (b *TypedBuilder[R]) logger() logr.Logger {
	name := b.name
	if b.forInput.object != nil {
		if kind, err := apiutil.GVKForObject(b.forInput.object, b.mgr.GetScheme()); err == nil {
			name = cmp.Or(name, strings.ToLower(kind.Kind))
		}
	}
	return b.mgr.GetLogger().WithValues("controller", name)
}

// untyped reports whether the Go type does not say what the object has.
func untyped(obj client.Object) bool {
	switch obj.(type) {
	case runtime.Unstructured, *metav1.PartialObjectMetadata:
		return true
	default:
		return false
	}
}

// pathCheck checks paths when the manager starts.
type pathCheck struct {
	asked   []askedPaths
	schemas delta.Schemas
	log     logr.Logger
}

var _ manager.LeaderElectionRunnable = (*pathCheck)(nil)

// Start checks the paths. It does not fail; see WithPaths for why.
func (c *pathCheck) Start(context.Context) error {
	for _, asked := range c.asked {
		for _, text := range asked.texts {
			if err := delta.CheckPathBySchema(asked.example, c.schemas, text); err != nil {
				c.log.Error(err, "A path that the controller asks about can't exist; it counts as touched", "path", text)
			}
		}
	}
	return nil
}

// NeedLeaderElection is false: who does not lead yet can be told as well.
func (*pathCheck) NeedLeaderElection() bool { return false }
