package dedup

import (
	"maps"
	"math"
	"slices"
)

// matchAny matches what may be in decoded JSON. Anything else is not equal.
func matchAny(a, b *any, in scope) (same bool) {
	if in.change == copies {
		*a, same = copyJSON(*a, *b, in.below())
		return same
	}
	if !matchJSON(*a, *b, in.below()) {
		return false
	}
	if in.mayChange() {
		*a = *b
	}
	return true
}

// copyJSON returns b if a is equal to it, and else a or a copy of it that shares with b what is equal.
func copyJSON(a, b any, in scope) (made any, same bool) {
	if matchJSON(a, b, in.only()) {
		return b, true
	}
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok && len(a) > 0 && len(b) > 0 && in.depth <= tooDeep {
			copied := maps.Clone(a)
			for key, value := range a {
				if shared, ok := b[key]; ok {
					copied[key], _ = copyJSON(value, shared, in.below())
				}
			}
			return copied, false
		}
	case []any:
		if b, ok := b.([]any); ok && len(a) > 0 && len(b) > 0 && in.depth <= tooDeep {
			copied := slices.Clone(a)
			for i := range min(len(a), len(b)) {
				copied[i], _ = copyJSON(a[i], b[i], in.below())
			}
			return slices.Clip(copied), false
		}
	}
	return a, false
}

func matchJSON(a, b any, in scope) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case string, bool, int64:
		return a == b
	case float64:
		b, ok := b.(float64)
		return ok && math.Float64bits(a) == math.Float64bits(b)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && (a == nil) == (b == nil) && matchObject(a, b, in)
	case []any:
		b, ok := b.([]any)
		return ok && (a == nil) == (b == nil) && matchValues(a, b, in)
	default:
		return false
	}
}

func matchObject(a, b map[string]any, in scope) bool {
	same := len(a) == len(b)
	for key, value := range a {
		shared, ok := b[key]
		switch {
		case ok && matchJSON(value, shared, in):
			if in.mayChange() {
				a[key] = shared
			}
		case !in.mayChange():
			return false
		default:
			same = false
		}
	}
	return same
}

func matchValues(a, b []any, in scope) bool {
	same := len(a) == len(b)
	for i := range min(len(a), len(b)) {
		if !matchAny(&a[i], &b[i], in) {
			same = false
		}
	}
	return same
}
