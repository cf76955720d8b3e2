package cache

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// unite makes one of two entries for a kind. An option that one of them leaves open is taken
// from the other. Of two values, the one that restricts the cache more counts, and the first if
// neither does: the caller has put the entries in order.
func unite(a, b kindSettings) kindSettings {
	a.namespaces = uniteNamespaces(a.namespaces, b.namespaces)
	a.settings = a.settings.unite(b.settings)
	return a
}

func (s settings) unite(other settings) settings {
	if s.labels != nil && other.labels != nil && labelTerms(other.labels).narrower(labelTerms(s.labels)) {
		s.labels = other.labels
	}
	if s.fields != nil && other.fields != nil && fieldTerms(other.fields).narrower(fieldTerms(s.fields)) {
		s.fields = other.fields
	}
	if differ(s.share, other.share) { // who needs copies would change the cache without them
		s.share = new(false)
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
	return len(a) == len(b) && !lacksOneOf(a, b)
}

// lacksOneOf reports whether a lacks a name that b has.
func lacksOneOf(a, b map[string]settings) bool {
	for namespace := range b {
		if _, ok := a[namespace]; !ok {
			return true
		}
	}
	return false
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
	if k.settings.contradicts(other.settings) {
		return true
	}
	if k.namespaces == nil || other.namespaces == nil {
		return false
	}
	for namespace, s := range k.namespaces {
		if s.contradicts(other.namespaces[namespace]) {
			return true
		}
	}
	return !sameNames(k.namespaces, other.namespaces)
}

// Where both have a value, each keeps its own.
func (s settings) contradicts(other settings) bool {
	return s.or(other).String() != other.or(s).String()
}

func differ[T comparable](a, b *T) bool { return a != nil && b != nil && *a != *b }
