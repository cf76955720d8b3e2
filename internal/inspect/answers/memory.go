package answers

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/footprint"
	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// sampled is how many objects of a kind Memory measures, and sampling for how long it does so at
// most.
const (
	sampled  = 500
	sampling = 2 * time.Second
)

// mostPaths is how many fields Memory names.
const mostPaths = 40

// measuring says that somebody measures. Measuring takes a CPU, so in a process one does at a time.
var measuring atomic.Bool

// Memory is the [inspector.Subject]'s. It measures a sample of the objects, and takes the others
// to be alike. Memory that objects share counts for each of them.
func (o *Operator) Memory(ctx context.Context, kind string) (v1.Memory, error) {
	k, err := o.kind(kind)
	if err != nil {
		return v1.Memory{}, err
	}
	if !measuring.CompareAndSwap(false, true) {
		return v1.Memory{}, fmt.Errorf("measure the memory of %s: %w: one kind is measured at a time", kind, inspector.ErrBusy)
	}
	defer measuring.Store(false)
	ctx, cancel := context.WithTimeout(ctx, sampling)
	defer cancel()
	m := v1.Memory{At: time.Now(), Kind: kind}
	sample, objects := observe.Sample(k.Informer, sampled)
	m.Objects = objects
	costs := map[string]uint64{}
	for _, i := range rand.Perm(len(sample)) { // it may end early
		if m.Truncated = ctx.Err() != nil; m.Truncated {
			break
		}
		footprint.ByPath(sample[i], func(path string, bytes int64) { costs[path] += uint64(max(0, bytes)) })
		m.Sampled++
	}
	total(&m, costs)
	return m, nil
}

// total takes all objects to be like those that were measured.
func total(m *v1.Memory, costs map[string]uint64) {
	for name, bytes := range costs {
		bytes = bytes * uint64(m.Objects) / uint64(m.Sampled)
		m.Bytes += bytes
		m.Paths = append(m.Paths, v1.PathCost{Path: name, Bytes: bytes})
	}
	slices.SortFunc(m.Paths, func(a, b v1.PathCost) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Path, b.Path))
	})
	m.Paths = m.Paths[:min(len(m.Paths), mostPaths)]
	for i := range m.Paths {
		m.Paths[i].Path = path.Cut(m.Paths[i].Path, longestText)
	}
}
