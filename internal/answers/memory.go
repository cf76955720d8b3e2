package answers

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/footprint"
	"github.com/delta-runtime/delta-runtime/internal/observe"
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

// Memory is the [inspector.Subject]'s. It measures a sample of the objects, and takes the others
// to be alike. Memory that objects share counts for each of them.
func (o *Operator) Memory(ctx context.Context, kind string) (v1.Memory, error) {
	k, err := o.kind(kind)
	if err != nil {
		return v1.Memory{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, sampling)
	defer cancel()
	m := v1.Memory{At: time.Now(), Kind: kind, Paths: []v1.PathCost{}}
	costs := map[string]uint64{}
	m.Objects, m.Sampled = observe.Sample(k.Informer, sampled, func(obj any) bool {
		if ctx.Err() != nil {
			return false
		}
		footprint.ByPath(obj, func(path string, bytes int64) { costs[path] += uint64(max(0, bytes)) })
		return true
	})
	if m.Sampled == 0 {
		return m, nil
	}
	for path, bytes := range costs {
		bytes = bytes * uint64(m.Objects) / uint64(m.Sampled)
		m.Bytes += bytes
		m.Paths = append(m.Paths, v1.PathCost{Path: path, Bytes: bytes})
	}
	slices.SortFunc(m.Paths, func(a, b v1.PathCost) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Path, b.Path))
	})
	m.Paths = m.Paths[:min(len(m.Paths), mostPaths)]
	return m, nil
}
