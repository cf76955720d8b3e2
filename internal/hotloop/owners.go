package hotloop

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// owners knows from the managed fields who wrote what in one step.
type owners struct {
	change        *delta.Change
	before, after map[string]*fieldpath.Set // by manager; nil until somebody asks
}

// writer returns who wrote a path that has another value now. That is its owner, because all others
// have lost it. If several own something there, it is the one that has won something.
func (o *owners) writer(at path.Path) string {
	if o.after == nil {
		o.after = ownersOf(o.change.New)
	}
	owning, nearest := map[string]*fieldpath.Set{}, 0
	for manager, all := range o.after {
		has, near := ownedAt(all, at.Steps)
		if near > nearest {
			nearest = near
			clear(owning)
		}
		if near > 0 && near == nearest {
			owning[manager] = has
		}
	}
	among := slices.Collect(maps.Keys(owning))
	if len(among) > 1 {
		among = slices.DeleteFunc(among, func(manager string) bool { return !o.wins(manager, owning[manager]) })
	}
	if len(among) == 1 {
		return among[0]
	}
	manager := o.change.Manager()
	if len(o.after) > 0 && owning[manager] == nil {
		return ""
	}
	return manager
}

// wins reports whether a manager did not own all that it has before.
func (o *owners) wins(manager string, has *fieldpath.Set) bool {
	if o.before == nil {
		o.before = ownersOf(o.change.Old)
	}
	had, known := o.before[manager]
	return !known || !has.Difference(had).Empty()
}

// ownersOf returns what each manager owns.
func ownersOf(obj delta.Object) map[string]*fieldpath.Set {
	all := map[string]*fieldpath.Set{}
	for _, entry := range obj.GetManagedFields() {
		owned := fieldpath.NewSet()
		if entry.FieldsV1 == nil || owned.FromJSON(entry.FieldsV1.GetRawReader()) != nil {
			continue
		}
		if had, twice := all[entry.Manager]; twice {
			owned = owned.Union(had)
		}
		all[entry.Manager] = owned
	}
	return all
}

// ownedAt returns what of all is at a path or below. If that is nothing, it is the nearest field above, within
// which the path may be. It also returns how many steps of the path the fields have.
func ownedAt(all *fieldpath.Set, at []path.Step) (owned *fieldpath.Set, near int) {
	owned = fieldpath.NewSet()
	for e := range all.Members.All() {
		if meets(&at[0], e) {
			owned.Members.Insert(e)
			near = 1
		}
	}
	for e := range all.Children.All() {
		if !meets(&at[0], e) {
			continue
		}
		below, _ := all.Children.Get(e)
		steps := 0
		if len(at) > 1 {
			below, steps = ownedAt(below, at[1:])
		}
		if below.Empty() || steps+1 < near {
			continue
		}
		if steps+1 > near {
			owned, near = fieldpath.NewSet(), steps+1
		}
		*owned.Children.Descend(e) = *below
	}
	return owned, near
}

// meets reports whether a step is the one that an element of the managed fields says.
func meets(s *path.Step, e fieldpath.PathElement) bool {
	switch {
	case e.FieldName != nil:
		return s.Kind == path.Named && s.Name == *e.FieldName
	case e.Value != nil:
		return s.Kind == path.Member && s.Name == path.ScalarText(*e.Value)
	case e.Index != nil:
		return s.Kind == path.Place && s.Index == *e.Index
	case s.Kind != path.Element:
		return false
	}
	return !slices.ContainsFunc(s.Keys, func(k path.KeyField) bool { // without a schema, a path does not have all of them
		return !slices.ContainsFunc(*e.Key, func(f value.Field) bool { return f.Name == k.Name && path.ScalarText(f.Value) == k.Value })
	})
}

// alone reports whether one manager wrote all there is in both states, so that nobody can have
// undone another's write.
func alone(before, after delta.Object) bool {
	x, y := before.GetManagedFields(), after.GetManagedFields()
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	first := x[0].Manager
	other := func(e metav1.ManagedFieldsEntry) bool { return e.Manager != first }
	return !slices.ContainsFunc(x, other) && !slices.ContainsFunc(y, other)
}
