package hotloop

import (
	"encoding/json"
	"hash/maphash"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// mostEdits is how many edits of one step are looked at.
const mostEdits = 64

// hidden is what a Diff shows of a Secret's value.
const hidden = "(hidden)"

// edit is one write of a path.
type edit struct {
	path          string
	before, after uint64 // hashes; 0: there was nothing
	writer        string // empty: not known
}

// edits returns what a step has changed, and who did it.
func (v *visit) edits(c *delta.Change) (all []edit) {
	who := owners{change: c}
	for e := range c.Diff().Edits() {
		parsed, err := path.Parse(e.Path)
		if err != nil {
			continue // a key that no path can have
		}
		for _, leaf := range leavesOf(c, parsed, e.Before, e.After) {
			found := edit{path: leaf.at.String(), before: v.hash(leaf.before), after: v.hash(leaf.after)}
			if leaf.after != nil { // nobody owns a field that is gone
				found.writer = who.writer(leaf.at)
			}
			if all = append(all, found); len(all) == mostEdits {
				return all
			}
		}
	}
	return all
}

// leavesOf divides an edit. One that is hidden stays whole, as the paths below it are hidden, too.
func leavesOf(c *delta.Change, at path.Path, before, after any) []leaf {
	if before == hidden || after == hidden {
		return []leaf{{at, valueAt(c.Old, at), valueAt(c.New, at)}}
	}
	return divide(at, before, after)
}

// hash is that of the value's JSON.
func (v *visit) hash(of any) uint64 {
	if of == nil {
		return 0
	}
	text, err := json.Marshal(of)
	if err != nil {
		return maphash.Comparable(v.seed, v.at) // like nothing else
	}
	return maphash.Bytes(v.seed, text) | 1
}

// valueAt returns what an object has at a path of names.
func valueAt(obj delta.Object, at path.Path) any {
	content, _ := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	var here any = content
	for i := range at.Steps {
		m, ok := here.(map[string]any)
		if !ok || at.Steps[i].Kind != path.Named {
			return nil
		}
		here = m[at.Steps[i].Name]
	}
	return here
}

// deepest is how many steps a path has at most that is looked into. Each of them looks at all that is below it.
const deepest = 64

// leaf is a part of an edit.
type leaf struct {
	at            path.Path
	before, after any
}

// divide finds what differs in two lists whose elements have names, which are one edit if there is no
// schema. Without that, an honest write of one element would hide a fight over another one.
func divide(at path.Path, before, after any) []leaf {
	if len(at.Steps) >= deepest {
		return []leaf{{at, before, after}}
	}
	if x, y, ok := both[map[string]any](before, after); ok {
		return divideEach(x, y, func(name string) path.Path { return at.Below(path.Step{Kind: path.Named, Name: name}) })
	}
	if x, y, ok := both[[]any](before, after); ok {
		for _, key := range [...]string{"name", "type"} {
			x, ok1 := byName(x, key)
			y, ok2 := byName(y, key)
			if ok1 && ok2 {
				return divideEach(x, y, func(name string) path.Path {
					return at.Below(path.Step{Kind: path.Element, Keys: []path.KeyField{{Name: key, Value: strconv.Quote(name)}}})
				})
			}
		}
	}
	return []leaf{{at, before, after}}
}

func both[T any](before, after any) (x, y T, ok bool) {
	x, ok1 := before.(T)
	y, ok2 := after.(T)
	return x, y, ok1 && ok2
}

func divideEach(before, after map[string]any, at func(name string) path.Path) (all []leaf) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if x, y := before[name], after[name]; !reflect.DeepEqual(x, y) {
			all = append(all, divide(at(name), x, y)...)
		}
	}
	return all
}

// byName finds the elements of a list by the name that each has.
func byName(list []any, key string) (elements map[string]any, ok bool) {
	elements = make(map[string]any, len(list))
	for _, v := range list {
		m, ok := v.(map[string]any)
		name, named := m[key].(string)
		if _, twice := elements[name]; !ok || !named || twice {
			return nil, false
		}
		elements[name] = m
	}
	return elements, true
}
