package engine

import (
	"slices"
	"strings"
)

// reach says which namespaces are meant: one, or all but some, among which the
// objects without a namespace then are. The zero reach is everything.
type reach struct {
	namespace string
	except    []string // sorted; only where namespace is empty
}

func (r reach) everything() bool { return r.namespace == "" && len(r.except) == 0 }

func (r reach) has(namespace string) bool {
	switch {
	case r.namespace != "":
		return namespace == r.namespace
	case len(r.except) == 0:
		return true
	}
	_, excepted := slices.BinarySearch(r.except, namespace)
	return !excepted
}

func newReach(namespace string, except []string) reach {
	if !slices.IsSorted(except) {
		except = slices.Sorted(slices.Values(except))
	}
	return reach{namespace: namespace, except: except}
}

// overlaps reports whether some namespace is in both.
func (r reach) overlaps(other reach) bool {
	switch {
	case r.namespace != "":
		return other.has(r.namespace)
	case other.namespace != "":
		return r.has(other.namespace)
	default:
		return true
	}
}

// String says which namespaces are meant.
func (r reach) String() string {
	switch {
	case r.namespace != "":
		return "namespace " + r.namespace
	case len(r.except) == 0:
		return "all namespaces"
	default:
		return "all namespaces but " + strings.Join(r.except, ", ")
	}
}
