package engine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// cell is the smallest object: a name and a version.
type cell struct {
	name    string
	version int
}

var cellTraits = store.Traits[cell]{
	Key: func(c cell) (delta.Key, error) {
		if c.name == "" {
			return delta.Key{}, fmt.Errorf("cell has no name")
		}
		return delta.ParseKey(c.name), nil
	},
	Version: func(c cell) string { return strconv.Itoa(c.version) },
	UID:     func(cell) string { return "" },
	Labels:  func(cell) map[string]string { return nil },
}

// cells is objects by key, as one layer or one subscriber sees them.
type cells map[delta.Key]cell

// apply does what the Controller does with a delta.
func (w cells) apply(d delta.Delta[cell]) {
	switch d.Op {
	case delta.Deleted:
		delete(w, d.Key)
	case delta.Sync:
	default:
		w[d.Key] = d.New
	}
}

// modelFIFO is the queue without cleverness: to know what is known, it replays
// everything that was not applied yet over a copy of the store.
type modelFIFO struct {
	pending, out []delta.Delta[cell]
	store        cells
	listed       bool // the scope whose list comes next has been listed before
}

func (m *modelFIFO) known() cells {
	w := maps.Clone(m.store)
	for _, d := range m.out {
		w.apply(d)
	}
	for _, d := range m.pending {
		w.apply(d)
	}
	return w
}

func (m *modelFIFO) add(d delta.Delta[cell]) {
	m.pending = append(m.pending, d)
}

func (m *modelFIFO) push(op delta.Op, c cell) {
	key := delta.ParseKey(c.name)
	if _, there := m.known()[key]; op == delta.Deleted && !there {
		// The final state of an object whose deletion was inferred is still news.
		for i, d := range slices.Backward(m.pending) {
			if d.Key == key && d.Missed {
				m.pending[i] = delta.Delta[cell]{Key: key, Op: op, New: c}
			}
			if d.Key == key {
				break
			}
		}
		return
	}
	m.add(delta.Delta[cell]{Key: key, Op: op, New: c})
}

func (m *modelFIFO) replace(within reach, list []cell, r reflector.Replacement) {
	known := m.known()
	var gone []delta.Key
	for key := range known {
		listed := slices.ContainsFunc(list, func(c cell) bool { return delta.ParseKey(c.name) == key }) || slices.Contains(r.Refused, key)
		if within.has(key.Namespace) && !listed {
			gone = append(gone, key)
		}
	}
	for i, c := range list {
		key := delta.ParseKey(c.name)
		if slices.ContainsFunc(list[i+1:], func(again cell) bool { return again.name == c.name }) {
			continue
		}
		if old, there := known[key]; there && old.version == c.version && !r.NewHistory {
			continue
		}
		m.add(delta.Delta[cell]{Key: key, Op: delta.Replaced, New: c, Initial: !m.listed})
	}
	slices.SortFunc(gone, delta.Key.Compare)
	for _, key := range gone {
		m.add(delta.Delta[cell]{Key: key, Op: delta.Deleted, Missed: true, Old: known[key]})
	}
}

func (m *modelFIFO) sync(keys []delta.Key) {
	for _, key := range keys {
		if !slices.ContainsFunc(m.pending, func(d delta.Delta[cell]) bool { return d.Key == key }) {
			m.add(delta.Delta[cell]{Key: key, Op: delta.Sync})
		}
	}
}

func (m *modelFIFO) pop() { m.out, m.pending = m.pending, nil }

func (m *modelFIFO) release() {
	for _, d := range m.out {
		m.store.apply(d)
	}
	m.out = nil
}

// brief strips what a model cannot know.
func brief(d delta.Delta[cell]) delta.Delta[cell] {
	return delta.Delta[cell]{Key: d.Key, Op: d.Op, Old: d.Old, New: d.New, Missed: d.Missed, Initial: d.Initial}
}
