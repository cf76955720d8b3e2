package cache

import (
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/inspect/footprint"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/metrics"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
)

// observed is a cache for those who look at it.
type observed struct{ *Cache }

var _ observe.Cache = observed{}

// observe shows the cache to metrics and to inspectors until the caller calls hide.
func (c *Cache) observe() (hide func()) {
	metrics.Register(c.ours.Log)
	return c.runtime.Runs(observed{c})
}

// Runtime returns what the cache shares with the other parts of its manager. Only our own packages can use the result.
func (c *Cache) Runtime() managed.Handle { return c.runtime.Handle() }

// Kinds returns the kinds that have an informer, in order of their names.
func (c observed) Kinds() []observe.Kind {
	var all []observe.Kind
	for _, k := range c.madeKinds() {
		all = append(all, observe.Kind{GVK: k.id.gvk, Form: k.id.form.word(), Name: k.id.String(), Example: k.example, Informer: k.core, Weigh: k.weigh})
	}
	return all
}

// Gaps is how often any kind has left something out.
func (c observed) Gaps() uint64 { return c.gaps.Load() }

// Record has a journal note the deltas of all kinds from now on.
func (c observed) Record(in *journal.Journal) {
	c.journal.Store(in)
	for _, k := range *c.kinds.Load() { // those that come later look at journal themselves
		k.record(in)
	}
}

// record has a journal note the kind's deltas from now on.
func (k *kind) record(in *journal.Journal) {
	if in == nil {
		k.notes.Store(nil)
		return
	}
	k.notes.Store(in.Kind(k.id.String(), k.id.gvk))
}

// witness is who is shown the kind's deltas.
func (k *kind) witness() engine.Witness[any] {
	if notes := k.notes.Load(); notes != nil {
		return notes
	}
	return nil
}

// word is the form in one word; Go types have none.
func (f form) word() string {
	switch f {
	case unstructuredForm:
		return "unstructured"
	case metadataForm:
		return "metadata"
	default:
		return ""
	}
}

// weighed is how many objects of a kind are measured at most, and freshWeight how long the outcome
// is good for.
const (
	weighed     = 100
	freshWeight = time.Minute
)

// weight is what the objects of a kind keep alive, as it was estimated.
type weight struct {
	at    time.Time
	bytes uint64
}

// weigh estimates from a sample how many bytes the kind's objects keep alive. Memory that objects
// share counts for each of them.
func (k *kind) weigh(now time.Time) uint64 {
	if known := k.weight.Load(); known != nil && now.Sub(known.at) < freshWeight {
		return known.bytes
	}
	bytes := uint64(0)
	sample, objects := observe.Sample(k.core, weighed)
	for _, obj := range sample {
		bytes += uint64(max(0, footprint.Of(obj)))
	}
	if len(sample) > 0 {
		bytes = bytes * uint64(objects) / uint64(len(sample))
	}
	k.weight.Store(&weight{now, bytes})
	return bytes
}
