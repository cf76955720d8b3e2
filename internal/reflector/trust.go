package reflector

import (
	"context"

	"github.com/delta-runtime/delta-runtime/internal/listwatch"
)

// Some servers give an object other content without another version: one that was restored, that converts by a webhook, or
// whose defaults have changed. While a watch is open it tells of that. So a version in a list is believed if watches were
// open all the time since the last list.

// inNewHistory reports whether a list at version shows that the server went back in time.
func (r *Reflector[T]) inNewHistory(version string) bool {
	return r.doubts.behind || Older(version, r.at.version)
}

// trusting returns the context of a list. In it a ListWatcher may take an object for known because of its version,
// unless contents are to be compared, as for a list that somebody asks for.
func (r *Reflector[T]) trusting(ctx context.Context) context.Context {
	r.compares = r.distrust || r.reason == Requested || !r.doubts.told(r.opts.Now())
	if r.compares {
		return listwatch.Distrust(ctx)
	}
	return ctx
}

// misled reports whether objects of a list were taken for known that may be others, as only its end says at which
// version it is. It is then read once more.
func (r *Reflector[T]) misled(list *snapshot[T], version string) bool {
	r.distrust = list.known && r.inNewHistory(version)
	return r.distrust
}
