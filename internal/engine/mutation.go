package engine

import (
	"sync/atomic"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/mutation"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// MutationOptions bounds what is done to find mutations. A look is taken each second.
type MutationOptions = mutation.Options

// Sample looks at so little that it costs nothing that anybody would notice: each second it takes note of one object,
// and reads another.
var Sample = MutationOptions{Objects: 8, Batch: 1, Pause: time.Second}

// mutated is what was found.
type mutated struct {
	found atomic.Uint64
	last  atomic.Pointer[informer.Mutation]
}

// detectMutations begins to look for them, if anybody wants to know.
func (i *Informer[T]) detectMutations() {
	if i.opts.OnMutation == nil && i.opts.Mutations == (MutationOptions{}) {
		return
	}
	i.controller.mutations = mutation.New(i.opts.Mutations, i.opts.Traits.Version, func(m informer.Mutation) {
		i.mutated.last.Store(&m)
		first := i.mutated.found.Add(1) == 1
		switch {
		case i.opts.OnMutation != nil:
			i.opts.OnMutation(m)
		case first:
			i.opts.Log.Error(nil, "An object of the cache was changed in place, and everybody else reads the change; deep-copy an object before you change it",
				"kind", i.opts.Name, "object", m.Key.String(), "version", m.Version, "fields", m.Paths)
		}
	})
}

// eachSecond does what is to be done so often.
func (i *Informer[T]) eachSecond(now time.Time) {
	i.processor.warn(now)
	if i.controller.mutations != nil {
		i.controller.mutations.Look()
	}
}
