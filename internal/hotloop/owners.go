package hotloop

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// owners knows from the managed fields who wrote what in one step.
type owners struct {
	change        *delta.Change
	before, after map[string][]fields // by manager; nil until somebody asks
}

// fields is what an entry of the managed fields owns: the tree of FieldsV1.
type fields map[string]any

// writer returns who wrote a path that has another value now. That is its owner, because all others
// have lost it. If several own something there, it is the one that has won something.
func (o *owners) writer(at path.Path) string {
	if o.after == nil {
		o.after = ownersOf(o.change.New)
	}
	owning := map[string]map[string]bool{}
	for manager, all := range o.after {
		if has := ownedBy(all, at); len(has) > 0 {
			owning[manager] = has
		}
	}
	among := slices.Collect(maps.Keys(owning))
	if len(among) > 1 {
		among = slices.DeleteFunc(among, func(manager string) bool { return !o.wins(manager, at, owning[manager]) })
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

// wins reports whether a manager owns something at a path that it did not own before.
func (o *owners) wins(manager string, at path.Path, has map[string]bool) bool {
	if o.before == nil {
		o.before = ownersOf(o.change.Old)
	}
	had := ownedBy(o.before[manager], at)
	for field := range has {
		if !had[field] {
			return true
		}
	}
	return false
}

func ownersOf(obj delta.Object) map[string][]fields {
	all := map[string][]fields{}
	for _, entry := range obj.GetManagedFields() {
		var owned fields
		if entry.FieldsV1 != nil && json.Unmarshal(entry.FieldsV1.GetRawBytes(), &owned) == nil {
			all[entry.Manager] = append(all[entry.Manager], owned)
		}
	}
	return all
}

// ownedBy returns the fields at a path and below that are owned.
func ownedBy(all []fields, at path.Path) map[string]bool {
	owned := map[string]bool{}
	for _, f := range all {
		f.collect(at.Steps, owned)
	}
	return owned
}

func (f fields) collect(steps []path.Step, owned map[string]bool) {
	if len(steps) == 0 || len(f) == 0 { // something above the path is owned as a whole
		f.all("", owned)
		return
	}
	for name, below := range f {
		if names, ok := below.(map[string]any); ok && meets(&steps[0], name) {
			fields(names).collect(steps[1:], owned)
		}
	}
}

func (f fields) all(at string, owned map[string]bool) {
	owned[at] = true
	for name, below := range f {
		if names, ok := below.(map[string]any); ok {
			fields(names).all(at+"/"+name, owned)
		}
	}
}

// meets reports whether a step is the one that a name of FieldsV1 says.
func meets(s *path.Step, name string) bool {
	kind, text, _ := strings.Cut(name, ":")
	switch {
	case kind == "f" && s.Kind == path.Named:
		return text == s.Name
	case kind == "v" && s.Kind == path.Member:
		return text == s.Name
	case kind == "i" && s.Kind == path.Place:
		return text == strconv.Itoa(s.Index)
	case kind != "k" || s.Kind != path.Element:
		return false
	}
	var key map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &key) != nil {
		return false
	}
	for _, k := range s.Keys { // without a schema, a path does not have all of them
		if string(key[k.Name]) != k.Value {
			return false
		}
	}
	return true
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
