package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/delta-runtime/delta-runtime/internal/objects"
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
// Those of unstructured objects, and of metadata alone, are checked when the manager
// starts, by what the server says of the kind, or as soon as it says anything. What is
// wrong then is an error in the log, and ends nothing: the path counts as touched, so the
// reconciler does all its work. The kind may come later than the controller, or get the
// field later, and nobody should be kept from starting by what only saves work.
func (b *TypedBuilder[R]) WithPaths(example client.Object, paths ...string) *TypedBuilder[R] {
	b.asked = append(b.asked, askedPaths{example, slices.Clone(paths)})
	return b
}

// checkPaths checks what WithPaths named, as far as Go types tell.
func (b *TypedBuilder[R]) checkPaths() error {
	var errs []error
	for _, asked := range b.asked {
		if asked.example == nil {
			return errors.New("WithPaths() must be given an example of the objects")
		}
		for _, text := range asked.texts {
			if err := delta.CheckPath(asked.example, text); err != nil {
				errs = append(errs, fmt.Errorf("check what WithPaths() names for %T: %w", asked.example, err))
			}
		}
	}
	return errors.Join(errs...)
}

// checkPathsLater checks the others when the manager starts.
func (p *plan[R]) checkPathsLater() error {
	var later []askedPaths
	for _, asked := range p.asked {
		if objects.Untyped(asked.example) {
			later = append(later, asked)
		}
	}
	if len(later) == 0 {
		return nil
	}
	if p.schemas == nil { // there is no ledger
		p.schemas = schemasOf(p.mgr)
	}
	return p.mgr.Add(&pathCheck{asked: later, schemas: p.schemas, log: p.logger()})
}

// examples returns what has one object of each kind that is watched. Of the kinds that
// WithPaths named those belong to them that a raw source, or a watch that was added later,
// may show. A path of a kind that nobody watches is never touched by anything, so that it
// has to count as wrong.
func (p *plan[R]) examples() func() []delta.Object {
	var watched, named []delta.Object
	for _, object := range p.watches() {
		watched = append(watched, object)
	}
	for _, asked := range p.asked {
		named = append(named, asked.example)
	}
	both := slices.Concat(watched, named)
	return func() []delta.Object {
		if p.kinds.more.Load() {
			return both
		}
		return watched
	}
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

// pathCheck checks paths when the manager starts.
type pathCheck struct {
	asked   []askedPaths
	schemas delta.Schemas
	log     logr.Logger
}

var _ manager.LeaderElectionRunnable = (*pathCheck)(nil)

// askAgain is how long a server has to come to know a kind. It describes a CRD a little
// later than it serves it.
const askAgain = 10 * time.Second

// Start checks the paths until ctx ends or it is known whether each can exist. It does not
// fail; see WithPaths for why.
func (c *pathCheck) Start(ctx context.Context) error {
	for first := true; ; first = false {
		c.asked = slices.DeleteFunc(c.asked, c.checked)
		if len(c.asked) == 0 {
			return nil
		}
		if first {
			c.log.Info("The server does not describe all kinds yet whose paths the controller asks about; they are checked when it does")
		}
		select {
		case <-time.After(askAgain):
		case <-ctx.Done():
			return nil
		}
	}
}

// checked checks the paths into one kind, and reports false if nothing describes it yet.
func (c *pathCheck) checked(asked askedPaths) bool {
	for _, text := range asked.texts {
		if err := delta.CheckPathBySchema(asked.example, c.schemas, text); err != nil {
			c.log.Error(err, "A path that the controller asks about can't exist; it counts as touched", "path", text)
		}
	}
	server, ok := c.schemas.(interface {
		Describes(kind schema.GroupVersionKind) error
	})
	return !ok || server.Describes(asked.example.GetObjectKind().GroupVersionKind()) == nil
}

// NeedLeaderElection is false: who does not lead yet can be told as well.
func (*pathCheck) NeedLeaderElection() bool { return false }
