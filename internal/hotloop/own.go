package hotloop

import (
	"cmp"
	"slices"
	"time"
)

// ownCalls is how many calls in a row are a loop.
const ownCalls = 18

// slowestOwn is the longest time between two of these calls. A controller that is called by nothing but
// its own writes comes back as fast as it can. Work that notes how far it is takes its time.
const slowestOwn = 10 * time.Second

// writtenAt is a path of an object.
type writtenAt struct {
	object objectID
	path   string
}

// row is a row of calls that were told nothing but own updates.
type row struct {
	calls       int
	paths       map[writtenAt]string // that all of them were told of, with the manager
	began, last time.Time
}

// end ends a look, and returns what speaks for a loop, if anything does.
func (r *row) end(v *visit) *sign {
	switch {
	case v.foreign:
		*r = row{}
		return nil
	case len(v.written) == 0:
		return nil // nothing that was not told before
	case r.calls == 0 || v.at.Sub(r.last) > slowestOwn+v.held || !r.goesOn(v.written):
		*r = row{calls: 1, paths: v.written, began: v.at, last: v.at}
	default:
		for at := range r.paths {
			if manager, ok := v.written[at]; ok {
				r.paths[at] = cmp.Or(manager, r.paths[at])
			} else {
				delete(r.paths, at)
			}
		}
		r.calls++
		r.last = v.at
	}
	return r.sign()
}

func (r *row) goesOn(written map[writtenAt]string) bool {
	for at := range r.paths {
		if _, ok := written[at]; ok {
			return true
		}
	}
	return false
}

// sign speaks of one object, the one that has the most paths.
func (r *row) sign() *sign {
	hits, managers := map[objectID][]hit{}, map[objectID]string{}
	for at, manager := range r.paths {
		hits[at.object] = append(hits[at.object], hit{path: at.path, returns: 1, run: r.calls, looks: r.calls, first: r.last, began: r.began, last: r.last})
		managers[at.object] = max(managers[at.object], manager)
	}
	var s *sign
	for id, of := range hits {
		if s == nil || len(of) > len(s.hits) || len(of) == len(s.hits) && id.key.Compare(s.object.key) < 0 {
			s = &sign{pattern: OwnWrites, object: id, pair: [2]string{managers[id]}, hits: of}
		}
	}
	slices.SortFunc(s.hits, func(a, b hit) int { return cmp.Compare(a.path, b.path) })
	return s
}
