package openapi

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
)

// mint has each shape of a document once. A kind that runs Pods says thrice what a container is, and a
// group may have a hundred kinds that do.
type mint struct {
	seed   maphash.Seed
	shapes map[uint64]*shape
	lists  map[string]*listing

	spare  []*shape
	fields []field // of the shapes that are being read: those of the innermost one come last
}

func newMint() *mint {
	return &mint{seed: maphash.MakeSeed(), shapes: map[uint64]*shape{}, lists: map[string]*listing{}}
}

// blank is a shape to be filled.
func (m *mint) blank() *shape {
	if n := len(m.spare); n > 0 {
		sh := m.spare[n-1]
		m.spare = m.spare[:n-1]
		return sh
	}
	return &shape{}
}

// shape returns the shape that is equal to a new one, whose fields are the last ones from begin.
func (m *mint) shape(sh *shape, begin int) *shape {
	fields := m.fields[begin:]
	m.fields = m.fields[:begin]
	slices.SortFunc(fields, func(a, b field) int { return cmp.Compare(a.name, b.name) })
	for i := 1; i < len(fields); i++ {
		if fields[i].name == fields[i-1].name {
			sh.wrong = "there are two fields " + strconv.Quote(fields[i].name)
		}
	}
	var h maphash.Hash
	h.SetSeed(m.seed)
	maphash.WriteComparable(&h, sh.facts)
	for i := range fields {
		maphash.WriteComparable(&h, fields[i])
	}
	sum := h.Sum64()
	for known := m.shapes[sum]; known != nil; known = known.next {
		if known.facts == sh.facts && slices.Equal(known.fields, fields) {
			*sh = shape{}
			m.spare = append(m.spare, sh)
			return known
		}
	}
	sh.fields, sh.next = slices.Clone(fields), m.shapes[sum]
	m.shapes[sum] = sh
	return sh
}

// listing returns the listing that is equal to a new one; nil if that says nothing.
func (m *mint) listing(l *listing) *listing {
	if l.kind == "" && !l.keyed && l.patch == "" && l.key == "" {
		return nil
	}
	name := fmt.Sprintf("%q %q %t %q %q", l.kind, l.keys, l.keyed, l.patch, l.key)
	known, ok := m.lists[name]
	if !ok {
		kept := *l // most are known, so that l itself must not be kept
		known = &kept
		m.lists[name] = known
	}
	return known
}
