package engine

import (
	"fmt"
	"math/rand/v2"

	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// part is an object reduced to which one it is and in which state. The zero part is none.
type part struct {
	uid   string
	state int
}

func partTraits() *store.Traits[part] {
	return &store.Traits[part]{
		Version: func(o part) string { return fmt.Sprint(o.state) },
		UID:     func(o part) string { return o.uid },
	}
}

// history makes up what a store could have gone through, one event at a time.
type history struct {
	rng   *rand.Rand
	now   map[delta.Key]part
	clock int // the last state given out
}

func newHistory(seed uint64) *history {
	return &history{rng: rand.New(rand.NewPCG(seed, 0)), now: map[delta.Key]part{}}
}

func (h *history) bear() part {
	h.clock++
	return part{uid: fmt.Sprint("u", h.clock), state: h.clock}
}

func (h *history) next(keys int) delta.Delta[part] {
	h.clock++
	d := delta.Delta[part]{Key: delta.Key{Name: fmt.Sprint("k", h.rng.IntN(keys))}}
	old, exists := h.now[d.Key]
	switch choice := h.rng.IntN(10); {
	case !exists:
		d.Op, d.New, d.Initial = delta.Added, h.bear(), choice == 0
	case choice < 4:
		d.Op, d.Old, d.New = delta.Updated, old, part{old.uid, h.clock}
	case choice < 6:
		d.Op, d.Old, d.New = delta.Sync, old, old
	case choice < 7:
		d.Op, d.Old, d.New = delta.Updated, old, h.bear()
	case choice < 9:
		d.Op, d.Old, d.New = delta.Deleted, old, part{old.uid, h.clock}
	default:
		d.Op, d.Old, d.Missed = delta.Deleted, old, true
	}
	d.Version = fmt.Sprint(h.clock)
	if d.Op == delta.Deleted {
		delete(h.now, d.Key)
	} else {
		h.now[d.Key] = d.New
	}
	return d
}
