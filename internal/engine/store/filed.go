package store

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"
)

// Filed is one value of a named index.
type Filed struct {
	Index string
	Value string
}

// SelectFiled returns the objects whose labels match and that are filed under
// every one of the index values, in no order. See [View.SelectFiled] for what it
// costs.
func (s *Store[T]) SelectFiled(sel labels.Selector, under ...Filed) ([]T, error) {
	p := s.pin()
	defer s.unpin(p)
	return (&View[T]{s: s, pin: p}).SelectFiled(sel, under...)
}

// SelectFiled returns the objects whose labels match and that are filed under
// every one of the index values, in no order. The selector may be nil.
//
// It looks at the objects filed under the rarest value, or at those that have one
// of the labels the selector asks for if they are fewer; whether these are filed
// under the other values is known of each without asking the index functions.
func (v *View[T]) SelectFiled(sel labels.Selector, under ...Filed) ([]T, error) {
	if sel != nil && sel.Empty() {
		sel = nil
	}
	if len(under) == 0 {
		return v.Select("", sel), nil
	}
	if len(under) == 1 && sel == nil {
		return v.ByIndex(under[0].Index, under[0].Value)
	}
	required, err := v.postings(under)
	if err != nil || required == nil {
		return nil, err
	}
	among := required[:1]
	if size := int(required[0].live.Load()); sel != nil && size > fewEnough {
		if labelled, found := v.narrowest(sel, size); found {
			among = labelled
		}
	}
	var objs []T
	for at := range v.filed(among...) {
		if at.in.Load().hasAll(required) && (sel == nil || sel.Matches(labels.Set(v.s.traits.Labels(at.obj)))) {
			objs = append(objs, at.obj)
		}
	}
	return objs, nil
}

// postings returns the postings of all the values, the shortest first. It returns
// nil if there is nothing under one of them; an index that does not exist is an
// error all the same.
func (v *View[T]) postings(under []Filed) (found []*posting[T], err error) {
	for _, f := range under {
		p, err := v.s.postingNamed(f.Index, f.Value)
		if err != nil {
			return nil, err
		}
		if p != nil {
			found = append(found, p)
		}
	}
	if len(found) < len(under) {
		return nil, nil
	}
	slices.SortFunc(found, func(a, b *posting[T]) int { return int(a.live.Load() - b.live.Load()) })
	return found, nil
}

// hasAll reports whether the version is in all the postings.
func (f *filing[T]) hasAll(postings []*posting[T]) bool {
	return !slices.ContainsFunc(postings, func(p *posting[T]) bool { return !f.has(p) })
}
