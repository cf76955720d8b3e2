package reflector

import (
	"context"

	"github.com/delta-runtime/delta-runtime/internal/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/revision"
)

// inNewHistory reports whether a list at version shows that the server went back in time.
func (r *Reflector[T]) inNewHistory(version string) bool {
	return r.doubts.behind || revision.Older(version, r.at.version)
}

// trusting returns the context of a list. A ListWatcher may take an object for known because of its version, unless
// versions may mean something else by now.
func (r *Reflector[T]) trusting(ctx context.Context) context.Context {
	if r.distrust || r.doubts.behind {
		return listwatch.Distrust(ctx)
	}
	return ctx
}

// misled reports whether objects of a list were taken for known that may be others. Most lists say at which version
// they are when their objects have passed. The list is then read once more.
func (r *Reflector[T]) misled(list *snapshot[T], version string) bool {
	r.distrust = list.known && r.inNewHistory(version)
	return r.distrust
}
