package openapi

import (
	"hash/maphash"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// pool has each part of a type once. Equal parts are the same memory, so what is in them
// is compared by its address. A kind that runs Pods says thrice what a container is, and a
// group may have a hundred kinds that do.
type pool struct {
	seed  maphash.Seed
	names map[string]*string
	lists map[listKey]*schema.List
	maps  map[uint64][]*schema.Map
}

// listKey is a list without its address.
type listKey struct {
	element  schema.TypeRef
	relation schema.ElementRelationship
	keys     string
}

func newPool() *pool {
	return &pool{seed: maphash.MakeSeed(), names: map[string]*string{}, lists: map[listKey]*schema.List{}, maps: map[uint64][]*schema.Map{}}
}

// name returns the address of a name.
func (p *pool) name(text string) *string {
	known, ok := p.names[text]
	if !ok {
		known = &text
		p.names[text] = known
	}
	return known
}

// list returns the list that is equal.
func (p *pool) list(l *schema.List) *schema.List {
	key := listKey{l.ElementType, l.ElementRelationship, strings.Join(l.Keys, "\x00")}
	known, ok := p.lists[key]
	if !ok {
		known = l
		p.lists[key] = known
	}
	return known
}

// fields returns the map that is equal.
func (p *pool) fields(m *schema.Map) *schema.Map {
	var h maphash.Hash
	h.SetSeed(p.seed)
	for i := range m.Fields {
		maphash.WriteComparable(&h, m.Fields[i])
	}
	maphash.WriteComparable(&h, m.ElementType)
	sum := h.Sum64()
	for _, known := range p.maps[sum] {
		if known.ElementType == m.ElementType && known.ElementRelationship == m.ElementRelationship && slices.Equal(known.Fields, m.Fields) {
			return known
		}
	}
	p.maps[sum] = append(p.maps[sum], m)
	return m
}
