package hotloop

import (
	"slices"
	"time"
)

// undoings is how many in a row are a fight: four full rounds in which both undo what the other
// one did. A manager that reverts an edit three times has been undone twice.
const undoings = 8

// track has the last writes of one path.
type track struct {
	now, before  uint64 // hashes of the value, and of the one before the last write
	by, byBefore string // who wrote the last, and the one before; empty if it is not known
	last         time.Time
	run          int       // undoings in a row by the same two
	began        time.Time // the row
	looks, turn  int       // how many looks have shown a part of the row, and the last of them
}

// track follows one write of a path.
func (v *visit) track(id objectID, o *object, e *edit) {
	k, ok := o.tracks[e.path]
	if !ok {
		makeRoom(o.tracks, mostTracks, func(a, b *track) bool { return a.last.Before(b.last) })
		k = &track{}
		o.tracks[e.path] = k
	}
	if !ok || v.when.Sub(k.last) > slowest+v.held || k.now != e.before {
		*k = track{now: e.after, before: e.before, by: e.writer, last: v.when}
		return
	}
	undone := e.writer != "" && k.by != "" && e.writer != k.by && e.after == k.before
	switch {
	case !undone:
		k.run = 0
	case k.run == 0 || k.byBefore != e.writer:
		k.run, k.began, k.looks, k.turn = 1, k.last, 1, v.turn
	default:
		k.run++
		if k.turn != v.turn {
			k.looks, k.turn = k.looks+1, v.turn
		}
	}
	k.before, k.now, k.byBefore, k.by = k.now, e.after, k.by, e.writer
	if v.when.After(k.last) {
		k.last = v.when
	}
	if k.run > 0 {
		v.undone(id, e.path, k)
	}
}

// makeRoom forgets what is oldest, if there is too much.
func makeRoom[K comparable, V any](all map[K]V, most int, older func(a, b V) bool) {
	if len(all) < most {
		return
	}
	var oldest K
	for key, v := range all {
		if known, ok := all[oldest]; !ok || older(v, known) {
			oldest = key
		}
	}
	delete(all, oldest)
}

// sign is what one call has shown of a loop.
type sign struct {
	pattern Pattern
	object  objectID
	pair    [2]string // the managers, in order; a single one is the first
	hits    []hit
}

// hit is one path of a sign.
type hit struct {
	path    string
	returns int       // in this call
	run     int       // in a row until now
	looks   int       // that have shown the row
	first   time.Time // of the returns in this call
	began   time.Time // the row
	last    time.Time
}

func (v *visit) undone(id objectID, path string, k *track) {
	pair := [2]string{min(k.by, k.byBefore), max(k.by, k.byBefore)}
	i := slices.IndexFunc(v.signs, func(s sign) bool { return s.of(Fight, id, pair) })
	if i < 0 {
		i = len(v.signs)
		v.signs = append(v.signs, sign{pattern: Fight, object: id, pair: pair})
	}
	s := &v.signs[i]
	j := slices.IndexFunc(s.hits, func(h hit) bool { return h.path == path })
	if j < 0 {
		j = len(s.hits)
		s.hits = append(s.hits, hit{path: path, first: k.last})
	}
	h := &s.hits[j]
	h.returns++
	if h.last = k.last; k.run >= h.run {
		h.run, h.looks, h.began = k.run, k.looks, k.began
	}
}

func (s *sign) of(p Pattern, id objectID, pair [2]string) bool {
	return s.pattern == p && s.object == id && (s.pair == pair || p == OwnWrites)
}

// enough reports whether a path is proof by itself.
func (s *sign) enough(h *hit) bool {
	if s.pattern == Fight {
		return h.run >= undoings
	}
	return h.run >= ownCalls
}

// proof returns the paths that are, and the longest row.
func (s *sign) proof() (paths []string, row hit) {
	for i := range s.hits {
		h := &s.hits[i]
		if !s.enough(h) {
			continue
		}
		paths = append(paths, h.path)
		if h.run > row.run {
			row = *h
		}
	}
	slices.Sort(paths)
	return paths, row
}

// within returns what the sign adds to an episode with these paths: the path that has had the most
// returns, and the paths with those that are proof now.
func (s *sign) within(paths []string) (most hit, more []string) {
	more = paths
	for i := range s.hits {
		h := &s.hits[i]
		if !slices.Contains(paths, h.path) {
			if !s.enough(h) {
				continue
			}
			if len(more) < mostTracks {
				more = append(slices.Clip(more), h.path)
			}
		}
		if h.returns > most.returns {
			most = *h
		}
	}
	if len(more) > len(paths) {
		slices.Sort(more)
	}
	return most, more
}
