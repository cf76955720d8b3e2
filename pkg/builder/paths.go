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

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// askedPaths has the paths that a reconciler asks about in objects of one kind.
type askedPaths struct {
	example client.Object
	texts   []string
}

// WithPaths names paths that the reconciler asks about in objects of the example's kind, with
// [delta.Changes.Touches] for instance. The builder then finds a path that can't exist before
// the reconciler asks for it. You can call WithPaths for several kinds.
//
// [TypedBuilder.Build] checks the paths of typed objects, and returns an error. The paths of
// unstructured objects, and of metadata alone, need what the server says of the kind. The
// manager has them checked when it starts, or as soon as the server says anything. A path that
// is wrong then is an error in the log, and nothing ends: the path counts as touched, so the
// reconciler does all its work. The kind may come later than the controller, or get the field
// later, and a path only saves work.
func (b *TypedBuilder[R]) WithPaths(example client.Object, paths ...string) *TypedBuilder[R] {
	b.asked = append(b.asked, askedPaths{example, slices.Clone(paths)})
	return b
}

// checkPaths checks the paths of WithPaths, as far as Go types tell.
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

// checkPathsLater has the manager check the other paths when it starts.
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
		p.schemas = schemasOf(p.mgr, p.runtime())
	}
	return p.mgr.Add(&pathCheck{asked: later, schemas: p.schemas, log: p.logger()})
}

// examples returns a function that returns one object of each kind of For, Owns and Watches. The
// ledger adds those that raw sources of ours show. Nothing ever touches a path of a kind that
// nobody watches, so such a path has to count as wrong.
func (p *plan[R]) examples() func() []delta.Object {
	var watched []delta.Object
	for _, w := range p.watches() {
		watched = append(watched, w.object)
	}
	return func() []delta.Object { return watched }
}

// logger returns the logger for wrong paths.
func (b *TypedBuilder[R]) logger() logr.Logger {
	name := b.name
	if b.primary.object != nil {
		if kind, err := apiutil.GVKForObject(b.primary.object, b.mgr.GetScheme()); err == nil {
			name = cmp.Or(name, strings.ToLower(kind.Kind))
		}
	}
	return b.mgr.GetLogger().WithValues("controller", name)
}

// pathCheck checks paths when the manager starts.
type pathCheck struct {
	asked   []askedPaths
	schemas diff.Schemas
	log     logr.Logger
}

var _ manager.LeaderElectionRunnable = (*pathCheck)(nil)

// askAgain is the time from one check to the next. A server describes a CRD a little later than
// it serves it.
const askAgain = 10 * time.Second

// Start checks the paths until ctx ends or it knows of each whether it can exist. It does not
// fail; WithPaths says why.
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
		if err := path.Check(asked.example, c.schemas, text); err != nil {
			c.log.Error(err, "A path that the controller asks about can't exist; it counts as touched", "path", text)
		}
	}
	server, ok := c.schemas.(interface {
		Describes(kind schema.GroupVersionKind) error
	})
	return !ok || server.Describes(asked.example.GetObjectKind().GroupVersionKind()) == nil
}

// NeedLeaderElection reports false, because the log of a process that does not lead helps, too.
func (*pathCheck) NeedLeaderElection() bool { return false }
