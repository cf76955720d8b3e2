package store

import (
	"runtime"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// fewEnough is how many objects of a namespace are looked at one by one rather
// than have an index built over the whole store.
const fewEnough = 256

// Select returns the objects of a namespace, or of all if it is empty, whose
// labels match, in no order.
//
// It looks at the objects of the namespace or at those that have one of the
// labels the selector asks for, whichever are fewest. The index of a label key is
// built when a selector first asks for the key and kept from then on, for up to 64
// keys; while a transaction is under way that first time looks at every object. A
// selector that only excludes, such as "a!=b", has no index to go by.
func (v *View[T]) Select(namespace string, sel labels.Selector) []T {
	if sel == nil || sel.Empty() {
		if namespace == "" {
			return v.List()
		}
		defer runtime.KeepAlive(v)
		if p := v.s.namespaces.find(namespace); p != nil {
			return p.gather(v.seq())
		}
		return nil
	}
	among, fewest := v.versions(namespace), v.Len()+1
	if namespace != "" {
		fewest = 0
		if p := v.s.namespaces.find(namespace); p != nil {
			fewest = int(p.live.Load())
		}
	}
	if namespace == "" || fewest > fewEnough {
		if best, found := v.narrowest(sel, fewest); found {
			among = v.filed(best...)
		}
	}
	var objs []T
	for at := range among {
		if (namespace == "" || *at.space == namespace) && sel.Matches(labels.Set(v.s.traits.Labels(at.obj))) {
			objs = append(objs, at.obj)
		}
	}
	return objs
}

// narrowest returns the postings that hold everything the selector can match, if they hold less
// than the fewest objects that there are to look at otherwise.
func (v *View[T]) narrowest(sel labels.Selector, fewest int) (best []*posting[T], found bool) {
	requirements, selectable := sel.Requirements()
	if !selectable {
		return nil, false
	}
	for _, r := range requirements {
		if !needsLabel(r.Operator()) {
			continue
		}
		x := v.s.labelIndex(r.Key())
		if x == nil {
			continue
		}
		postings, size := candidates(x, r)
		if size < fewest {
			best, fewest, found = postings, size, true
		}
	}
	return best, found
}

// needsLabel reports whether only objects that have the label can match.
func needsLabel(op selection.Operator) bool {
	switch op {
	case selection.Equals, selection.DoubleEquals, selection.In, selection.Exists, selection.GreaterThan, selection.LessThan:
		return true
	default: // NotEquals, NotIn, DoesNotExist match objects without the label
		return false
	}
}

// candidates returns the postings in which everything is that meets r.
func candidates[T any](x *index[T], r labels.Requirement) (postings []*posting[T], size int) {
	add := func(p *posting[T]) {
		postings = append(postings, p)
		size += int(p.live.Load())
	}
	switch r.Operator() {
	case selection.Equals, selection.DoubleEquals, selection.In:
		for value := range r.Values() {
			if p := x.find(value); p != nil {
				add(p)
			}
		}
	default:
		for p := range x.all() {
			add(p)
		}
	}
	return postings, size
}

// labelIndex returns the index of a label key, nil if there is none yet.
func (s *Store[T]) labelIndex(key string) *index[T] {
	if x := s.catalog.Load().labels[key]; x != nil {
		return x
	}
	s.wish(key)
	return s.catalog.Load().labels[key]
}
