package cache

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// unite makes one of two entries for a kind. An option that one of them leaves open is taken
// from the other. Of two values, the one that restricts the cache more counts, and the first if
// neither does: the caller has put the entries in order.
func unite(a, b kindSettings) kindSettings {
	a.namespaces = uniteNamespaces(a.namespaces, b.namespaces)
	a.settings = a.settings.unite(b.settings)
	return a
}

func (s settings) unite(other settings) settings {
	if s.LabelSelector != nil && other.LabelSelector != nil && labelTerms(other.LabelSelector).narrower(labelTerms(s.LabelSelector)) {
		s.LabelSelector = other.LabelSelector
	}
	if s.FieldSelector != nil && other.FieldSelector != nil && fieldTerms(other.FieldSelector).narrower(fieldTerms(s.FieldSelector)) {
		s.FieldSelector = other.FieldSelector
	}
	if copies := other.UnsafeDisableDeepCopy; copies != nil && !*copies { // who needs copies would change the cache without them
		s.UnsafeDisableDeepCopy = copies
	}
	return s.or(other)
}

func uniteNamespaces(a, b map[string]settings) map[string]settings {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case !sameNames(a, b) && narrowerNames(b, a):
		return b
	case !sameNames(a, b):
		return a
	}
	both := make(map[string]settings, len(a))
	for namespace, s := range a {
		both[namespace] = s.unite(b[namespace])
	}
	return both
}

func sameNames(a, b map[string]settings) bool {
	return maps.EqualFunc(a, b, func(settings, settings) bool { return true })
}

// narrowerNames reports whether a has fewer namespaces than b. None is all of them.
func narrowerNames(a, b map[string]settings) bool {
	everywhere := func(names map[string]settings) bool {
		_, ok := names[metav1.NamespaceAll]
		return ok || len(names) == 0
	}
	if everywhere(a) || everywhere(b) {
		return !everywhere(a)
	}
	return len(a) < len(b)
}

// contradicts reports whether two entries for a kind have different values for one option.
func (k kindSettings) contradicts(other kindSettings) bool {
	agree := func(a, b settings) bool { return !a.contradicts(b) }
	return !agree(k.settings, other.settings) ||
		k.namespaces != nil && other.namespaces != nil && !maps.EqualFunc(k.namespaces, other.namespaces, agree)
}

// Where both have a value, each keeps its own.
func (s settings) contradicts(other settings) bool {
	return s.or(other).String() != other.or(s).String()
}
