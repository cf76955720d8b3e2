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

// newPool returns a pool that has all parts of others.
func newPool(others []*Types) *pool {
	p := &pool{seed: maphash.MakeSeed(), names: map[string]*string{}, lists: map[listKey]*schema.List{}, maps: map[uint64][]*schema.Map{}}
	for _, t := range others {
		for i := range t.schema.Types {
			p.know(&t.schema.Types[i].Atom)
		}
	}
	return p
}

// know adds parts that others have.
func (p *pool) know(a *schema.Atom) {
	eachRef(a, func(r *schema.TypeRef) {
		if r.NamedType == nil {
			p.know(&r.Inlined)
		} else if _, known := p.names[*r.NamedType]; !known {
			p.names[*r.NamedType] = r.NamedType
		}
	})
	if a.List != nil {
		p.lists[keyOf(a.List)] = a.List
	}
	if a.Map != nil {
		p.fields(a.Map)
	}
}

// eachRef calls do for each type that a type refers to.
func eachRef(a *schema.Atom, do func(*schema.TypeRef)) {
	if a.List != nil {
		do(&a.List.ElementType)
	}
	if a.Map != nil {
		for i := range a.Map.Fields {
			do(&a.Map.Fields[i].Type)
		}
		do(&a.Map.ElementType)
	}
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

func keyOf(l *schema.List) listKey {
	return listKey{l.ElementType, l.ElementRelationship, strings.Join(l.Keys, "\x00")}
}

// list returns the list that is equal.
func (p *pool) list(l *schema.List) *schema.List {
	key := keyOf(l)
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

// atom returns a type of another pool with parts of this one.
func (p *pool) atom(a schema.Atom) schema.Atom {
	if l := a.List; l != nil {
		a.List = p.list(&schema.List{ElementType: p.ref(l.ElementType), ElementRelationship: l.ElementRelationship, Keys: l.Keys})
	}
	if m := a.Map; m != nil {
		fields := slices.Clone(m.Fields)
		for i := range fields {
			fields[i].Type = p.ref(fields[i].Type)
		}
		a.Map = p.fields(&schema.Map{Fields: fields, ElementType: p.ref(m.ElementType), ElementRelationship: m.ElementRelationship})
	}
	return a
}

func (p *pool) ref(r schema.TypeRef) schema.TypeRef {
	if r.NamedType == nil {
		r.Inlined = p.atom(r.Inlined)
	} else {
		r.NamedType = p.name(*r.NamedType)
	}
	return r
}
