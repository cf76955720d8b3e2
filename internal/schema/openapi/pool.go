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
	if m := a.Map; m != nil {
		if known, sum := p.find(m.Fields, m.ElementType, m.ElementRelationship); known == nil {
			p.maps[sum] = append(p.maps[sum], m)
		}
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
func (p *pool) fields(fields []schema.StructField, element schema.TypeRef, relation schema.ElementRelationship) *schema.Map {
	known, sum := p.find(fields, element, relation)
	if known == nil {
		known = &schema.Map{Fields: slices.Clone(fields), ElementType: element, ElementRelationship: relation}
		p.maps[sum] = append(p.maps[sum], known)
	}
	return known
}

func (p *pool) find(fields []schema.StructField, element schema.TypeRef, relation schema.ElementRelationship) (known *schema.Map, sum uint64) {
	var h maphash.Hash
	h.SetSeed(p.seed)
	for i := range fields {
		maphash.WriteComparable(&h, fields[i])
	}
	maphash.WriteComparable(&h, element)
	sum = h.Sum64()
	for _, known := range p.maps[sum] {
		if known.ElementType == element && known.ElementRelationship == relation && slices.Equal(known.Fields, fields) {
			return known, sum
		}
	}
	return nil, sum
}

// atom returns a type of another pool with parts of this one. If it is open, anything may be where nothing is mentioned.
func (p *pool) atom(a schema.Atom, open bool) schema.Atom {
	if l := a.List; l != nil {
		a.List = p.list(&schema.List{ElementType: p.ref(l.ElementType, open), ElementRelationship: l.ElementRelationship, Keys: l.Keys})
	}
	if m := a.Map; m != nil {
		fields := slices.Clone(m.Fields)
		for i := range fields {
			fields[i].Type = p.ref(fields[i].Type, open)
		}
		a.Map = p.fields(fields, p.ref(m.ElementType, open), m.ElementRelationship)
	}
	return a
}

func (p *pool) ref(r schema.TypeRef, open bool) schema.TypeRef {
	switch {
	case r.NamedType == nil:
		r.Inlined = p.atom(r.Inlined, open)
	case open && *r.NamedType == unmentioned:
		r.NamedType = p.name(deduced)
	default:
		r.NamedType = p.name(*r.NamedType)
	}
	return r
}
