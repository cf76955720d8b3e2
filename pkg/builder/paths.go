package builder

import (
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
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
// [TypedBuilder.Build] checks the paths of typed objects, and returns an error. Of unstructured
// objects, and of metadata alone, it checks the metadata. The rest needs what the server says of
// the kind, and is checked when the reconciler first asks. A path that is wrong then is an error in
// the log, and nothing ends: the path counts as touched, so the reconciler does all its work.
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
