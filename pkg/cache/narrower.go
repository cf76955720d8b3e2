package cache

import (
	"slices"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/sets"
)

// terms are what a selector requires. All of them have to hold.
type terms struct {
	all     []term
	nothing bool // is selected
}

// term is one requirement.
type term struct {
	key    string
	op     selection.Operator
	values sets.Set[string]
}

func labelTerms(selector labels.Selector) terms {
	requirements, selectable := selector.Requirements()
	t := terms{nothing: !selectable}
	for _, r := range requirements {
		t.all = append(t.all, term{r.Key(), r.Operator(), sets.New(r.ValuesUnsorted()...)})
	}
	return t
}

func fieldTerms(selector fields.Selector) terms {
	var t terms
	for _, r := range selector.Requirements() {
		t.all = append(t.all, term{r.Field, r.Operator, sets.New(r.Value)})
	}
	return t
}

// narrower reports whether t is known to select a part of what other selects.
func (t terms) narrower(other terms) bool { return t.implies(other) && !other.implies(t) }

// implies reports whether all that t selects is known to be selected by other.
func (t terms) implies(other terms) bool {
	if t.nothing || other.nothing {
		return t.nothing
	}
	return !slices.ContainsFunc(other.all, func(wanted term) bool {
		return !slices.ContainsFunc(t.all, func(has term) bool { return has.implies(wanted) })
	})
}

// implies reports whether whatever fulfils t is known to fulfil other.
func (t term) implies(other term) bool {
	switch {
	case t.key != other.key:
		return false
	case other.isOneOf():
		return t.isOneOf() && other.values.IsSuperset(t.values)
	case other.isNoneOf():
		return t.op == selection.DoesNotExist || t.isOneOf() && other.values.Intersection(t.values).Len() == 0 ||
			t.isNoneOf() && t.values.IsSuperset(other.values)
	case other.op == selection.Exists && t.isOneOf():
		return true
	default:
		return t.op == other.op && t.values.Equal(other.values)
	}
}

func (t term) isOneOf() bool {
	return t.op == selection.In || t.op == selection.Equals || t.op == selection.DoubleEquals
}

func (t term) isNoneOf() bool { return t.op == selection.NotIn || t.op == selection.NotEquals }
