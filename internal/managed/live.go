package managed

import (
	"maps"
	"slices"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// live has the Runtimes of this process, for metrics: controller-runtime has one registry for all managers.
var live runtimes

// runtimes are those in which something runs.
type runtimes struct {
	mu  lock.Mutex[lock.Shown]
	all map[*Runtime]bool
}

// Live returns the Runtimes in which a cache or a controller runs.
func Live() []*Runtime {
	live.mu.Lock()
	defer live.mu.Unlock()
	return slices.Collect(maps.Keys(live.all))
}

// showLocked has Live tell of the Runtime as long as something runs.
func (r *Runtime) showLocked() {
	live.mu.Lock()
	defer live.mu.Unlock()
	if r.cache == nil && len(r.controllers) == 0 {
		delete(live.all, r)
		return
	}
	if live.all == nil {
		live.all = map[*Runtime]bool{}
	}
	live.all[r] = true
}
