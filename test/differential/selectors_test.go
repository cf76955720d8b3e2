package differential

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// labelSelector draws a selector of any kind.
func labelSelector(rng *rand.Rand) (option client.ListOption, said string) {
	switch rng.IntN(12) {
	case 0:
		return client.MatchingLabelsSelector{Selector: labels.Nothing()}, "nothing"
	case 1:
		return client.MatchingLabelsSelector{Selector: labels.Everything()}, "everything"
	case 2:
		return client.MatchingLabels{"app": "x", "tier": "3"}, "app=x,tier=3"
	case 3:
		return client.HasLabels{"app", "flag"}, "app,flag"
	}
	selector := labels.NewSelector()
	for range 1 + rng.IntN(3) {
		selector = selector.Add(requirement(rng))
	}
	return client.MatchingLabelsSelector{Selector: selector}, fmt.Sprintf("%q", selector)
}

func requirement(rng *rand.Rand) labels.Requirement {
	name := pick(rng, "app", "app", "tier", "flag", "absent")
	values := map[string][]string{
		"app": {"x", "y", "z", ""}, "tier": {"1", "2", "3", "high", "7"}, "flag": {"", "on"}, "absent": {"", "x"},
	}[name]
	op := pick(rng, selection.Equals, selection.DoubleEquals, selection.NotEquals, selection.In, selection.NotIn,
		selection.Exists, selection.DoesNotExist, selection.GreaterThan, selection.LessThan)
	var drawn []string
	switch op {
	case selection.Exists, selection.DoesNotExist:
	case selection.GreaterThan, selection.LessThan:
		name, drawn = pick(rng, "tier", "tier", "app"), []string{pick(rng, "0", "2", "3", "9")}
	case selection.In, selection.NotIn:
		for range 1 + rng.IntN(3) {
			drawn = append(drawn, pick(rng, values...))
		}
	default:
		drawn = []string{pick(rng, values...)}
	}
	r, err := labels.NewRequirement(name, op, drawn)
	if err != nil {
		panic(fmt.Sprintf("BUG: %v", err))
	}
	return *r
}

// indexes are the indexes that a game may add. They have any field names, because an index
// function need not look at the field.
var indexes = map[string]client.IndexerFunc{
	"app": func(o client.Object) []string {
		if app, ok := o.GetLabels()["app"]; ok {
			return []string{app}
		}
		return nil
	},
	"maybe":         func(o client.Object) []string { return []string{o.GetLabels()["tier"]} },
	"many":          func(o client.Object) []string { return slices.Sorted(maps.Values(o.GetLabels())) },
	"twice":         func(o client.Object) []string { app := o.GetLabels()["app"]; return []string{app, app} },
	"slash":         func(o client.Object) []string { return []string{o.GetLabels()["app"] + "/" + o.GetLabels()["tier"]} },
	"never":         func(client.Object) []string { return nil },
	"metadata.name": func(o client.Object) []string { return []string{o.GetName()} },
	"in":            func(o client.Object) []string { return []string{o.GetNamespace()} },
}

var indexValues = map[string][]string{
	"app": {"x", "y", "z", "", "q"}, "maybe": {"1", "3", "high", ""}, "many": {"x", "3", "", "y"},
	"twice": {"x", "y", ""}, "slash": {"x/3", "/", "y/1"}, "never": {"x", ""},
	"metadata.name": {marker, "o2", "absent"}, "in": {"a", "b", ""}, "missing": {"x"},
}

func term(rng *rand.Rand) (field, value string) {
	field = pick(rng, sortedNames(indexValues)...)
	return field, pick(rng, indexValues[field]...)
}

// fieldSelector draws a selector of one field or of several, which may be exact or not.
func fieldSelector(rng *rand.Rand) fields.Selector {
	field, value := term(rng)
	switch rng.IntN(10) {
	case 0:
		return fields.OneTermNotEqualSelector(field, value)
	case 1:
		return fields.Everything()
	case 2:
		return fields.Nothing()
	case 3, 4, 5:
		other, second := term(rng)
		terms := []fields.Selector{fields.OneTermEqualSelector(field, value), fields.OneTermEqualSelector(other, second)}
		if rng.IntN(4) == 0 {
			terms = append(terms, fields.OneTermNotEqualSelector(term(rng)))
		}
		return fields.AndSelectors(terms...)
	}
	return fields.OneTermEqualSelector(field, value)
}

func sortedNames[T any](of map[string]T) []string { return slices.Sorted(maps.Keys(of)) }
