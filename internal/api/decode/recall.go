package decode

import (
	"bytes"
	"unsafe"
)

// recall remembers in which bytes parts of objects came that were shared. Where the same bytes come again for an
// object whose like has the same part, there is nothing to decode: the objects of one owner have most of their parts
// in common, and an event changes few of them.
type recall struct {
	memos []memo // by where the part is
	size  int    // of all raw
}

// A memo is about one part, which it keeps alive: no other can be at its place.
type memo struct {
	plan *plan
	at   unsafe.Pointer // a pointer's target, a list's first element or a map
	len  int            // of a list
	raw  []byte         // empty until the part was shared twice
	used int            // how often lately
}

const (
	memoBits = 9
	// shortest and longest are how many bytes a part has that is worth it. Shorter ones are decoded as fast.
	shortest, longest = 24, 8 << 10
	// maxRecall is how many bytes are remembered at most.
	maxRecall = 256 << 10
	// mostUsed bounds how long a part stays that is no longer used.
	mostUsed = 16
)

func (r *recall) slot(at unsafe.Pointer) *memo {
	h := uint64(uintptr(at)) * 0xff51afd7ed558ccd // two odd numbers, so that neighbours come far apart
	h = (h ^ h>>32) * 0xc4ceb9fe1a85ec53
	return &r.memos[h>>(64-memoBits)]
}

func (m *memo) isOf(p *plan, at unsafe.Pointer, n int) bool {
	return m.plan == p && m.at == at && m.len == n
}

// begins returns with how many bytes the part at a place begins data. They are 0 if that is not known.
func (r *recall) begins(data []byte, p *plan, at unsafe.Pointer, n int) int {
	if at == nil || r.memos == nil {
		return 0
	}
	m := r.slot(at)
	if !m.isOf(p, at, n) || !bytes.HasPrefix(data, m.raw) {
		return 0
	}
	m.used = min(m.used+1, mostUsed)
	return len(m.raw)
}

// learn notes that the part at a place has come in raw. A part has to come twice, because most of those that belong
// to one object do not come again soon.
func (r *recall) learn(raw []byte, p *plan, at unsafe.Pointer, n int) {
	if len(raw) < shortest || len(raw) > longest {
		return
	}
	if r.memos == nil {
		r.memos = make([]memo, 1<<memoBits)
	}
	m := r.slot(at)
	switch {
	case m.isOf(p, at, n):
		if more := len(raw) - cap(m.raw); more > 0 {
			if r.size+more > maxRecall {
				return
			}
			r.size += more
			m.raw = make([]byte, 0, len(raw))
		}
		m.raw = append(m.raw[:0], raw...)
		m.used = min(m.used+1, mostUsed)
	case m.used > 0:
		m.used--
	default:
		*m = memo{plan: p, at: at, len: n, raw: m.raw[:0]}
	}
}

// allOf returns how many bytes of data are the values of a field that are known to be the part at a place: no other
// value of the field may follow. They are 0 if they have to be decoded.
func (d *Decoder) allOf(f *protoField, data []byte, at unsafe.Pointer, n int) int {
	size := d.parts.begins(data, f.plan, at, n)
	if size == 0 {
		return 0
	}
	if _, _, more, ok := f.nextOf(data[size:]); more || !ok {
		return 0
	}
	return size
}
