package dedup

import "math"

// matchAny matches what may be in decoded JSON. Anything else is not equal.
func matchAny(a, b *any, in scope) bool {
	if !matchJSON(*a, *b, in.below()) {
		return false
	}
	if in.change {
		*a = *b
	}
	return true
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
			if in.change {
				a[key] = shared
			}
		case !in.change:
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
