package dedup

import "unsafe"

// header is how a slice stands in memory.
type header struct {
	data     unsafe.Pointer
	len, cap int
}

// scope is what may be done where match has got to.
type scope struct {
	change  bool // to share what is equal
	copied  bool // the values are copies of what is in two maps
	objects bool // they are whole ones: their TypeMeta does not count, and two times are equal if they are one instant
	depth   uint8
}

// tooDeep is where match gives up. Anything deeper may be a cycle.
const tooDeep = 100

// below is the scope for what a pointer leads to.
func (s scope) below() scope {
	s.depth++
	s.copied = false
	return s
}

// only is the scope for a look.
func (s scope) only() scope {
	s.change = false
	return s
}

// match reports whether two values of the layout are equal, and has a share with b
// whatever is equal below. The caller may share the whole of a. The values that it stores
// in a have the same type as what was there, because they stood at the same place in b.
func (l *Layout) match(a, b unsafe.Pointer, in scope) bool {
	return in.depth <= tooDeep && match(l.parts, a, b, in)
}

func match(parts []part, a, b unsafe.Pointer, in scope) bool {
	same := true
	for i := range parts {
		if p := &parts[i]; !p.match(unsafe.Add(a, p.offset), unsafe.Add(b, p.offset), in) {
			if !in.change {
				return false
			}
			same = false // go on, to share what is equal behind it
		}
	}
	return same
}

func (p *part) match(a, b unsafe.Pointer, in scope) bool {
	switch p.kind {
	case plain:
		return equalBytes(a, b, p.size)
	case text:
		return matchText((*string)(a), (*string)(b), in)
	case pointer:
		return p.matchPointer((*unsafe.Pointer)(a), (*unsafe.Pointer)(b), in)
	case list:
		return p.matchList((*header)(a), (*header)(b), in)
	case mapping:
		return p.matchMap((*unsafe.Pointer)(a), (*unsafe.Pointer)(b), in)
	case dynamic:
		return matchAny((*any)(a), (*any)(b), in)
	case closed: // an interface without a value has no type, which is its first word
		return *(*unsafe.Pointer)(a) == nil && *(*unsafe.Pointer)(b) == nil
	case opaque:
		return p.equal(a, b, in)
	default:
		panic("BUG: a part of no kind")
	}
}

func equalBytes(a, b unsafe.Pointer, size uintptr) bool {
	return unsafe.String((*byte)(a), size) == unsafe.String((*byte)(b), size)
}

func matchText(a, b *string, in scope) bool {
	if *a != *b {
		return false
	}
	if in.change && *a != "" {
		*a = *b
	}
	return true
}

func (p *part) matchPointer(a, b *unsafe.Pointer, in scope) bool {
	switch {
	case *a == *b:
		return true
	case *a == nil || *b == nil:
		return false
	case !p.elem.match(*a, *b, in.below()):
		return false
	}
	if in.change {
		*a = *b
	}
	return true
}

func (p *part) matchList(a, b *header, in scope) bool {
	switch {
	case (a.data == nil) != (b.data == nil):
		return false
	case a.data == b.data && a.len == b.len:
		return true // shared already
	case !p.matchElements(a, b, in.below()):
		return false
	}
	if in.change { // who appends to a must not write behind the end of b
		*a = header{data: b.data, len: b.len, cap: b.len}
	}
	return true
}

func (p *part) matchElements(a, b *header, in scope) bool {
	size, n := p.elem.Size, min(a.len, b.len)
	if p.elem.isPlain() {
		return a.len == b.len && equalBytes(a.data, b.data, size*uintptr(n))
	}
	same := a.len == b.len
	for i := range uintptr(n) {
		if !p.elem.match(unsafe.Add(a.data, i*size), unsafe.Add(b.data, i*size), in) {
			if !in.change {
				return false
			}
			same = false
		}
	}
	return same
}

// matchMap shares a map as a whole or not at all: a key that is in it can't be
// exchanged for an equal one.
func (p *part) matchMap(a, b *unsafe.Pointer, in scope) bool {
	switch {
	case *a == *b:
		return true
	case *a == nil || *b == nil || !p.equal(unsafe.Pointer(a), unsafe.Pointer(b), in.below()):
		return false
	}
	if in.change {
		*a = *b
	}
	return true
}
