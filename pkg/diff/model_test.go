package diff

import (
	"cmp"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
)

// sort is the sort of a value in the model.
type sort uint8

const (
	leaf    sort = iota // compared as a whole: scalars, lists and maps that are one value
	fields              // a struct
	entries             // a map from strings
	set                 // a list of scalars
	byKey               // a list of structs that have keys
)

// shape describes values. The test makes values of a shape, and the model compares them by
// it. So nothing here asks structured-merge-diff for a schema.
type shape struct {
	sort     sort
	fields   map[string]*shape
	below    *shape             // of entries and elements
	keys     []string           // of byKey
	defaults map[string]any     // of keys
	always   []string           // fields that are never left out
	atomic   bool               // of fields: made field by field, compared as one value
	values   func(*dice) any    // of a leaf or a set
	names    func(*dice) string // of entries
}

// dice make random values.
type dice struct{ samples.Dice }

// make returns a value of a shape, with the types that JSON decodes to.
func (d *dice) make(s *shape) any {
	switch s.sort {
	case fields:
		m := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(s.fields)) {
			if d.Often() || slices.Contains(s.always, name) {
				m[name] = d.make(s.fields[name])
			}
		}
		return m
	case entries:
		m := map[string]any{}
		for range d.IntN(4) {
			m[s.names(d)] = d.make(s.below)
		}
		return m
	case set:
		list := []any{}
		for range d.IntN(4) {
			if v := s.values(d); !slices.Contains(list, v) || d.Seldom() {
				list = append(list, v)
			}
		}
		return list
	case byKey:
		list := []any{}
		for range d.IntN(4) {
			if v := d.make(s.below); d.Seldom() || !slices.ContainsFunc(list, func(w any) bool { return s.key(w) == s.key(v) }) {
				list = append(list, v)
			}
		}
		return list
	default:
		return s.values(d)
	}
}

// change returns another value of a shape. Mostly it is similar to v. It shares memory with
// v.
func (d *dice) change(s *shape, v any) any {
	if d.Seldom() {
		return d.make(s)
	}
	switch s.sort {
	case fields, entries:
		m := maps.Clone(v.(map[string]any))
		for _, name := range slices.Sorted(maps.Keys(m)) {
			below := s.at(name)
			switch {
			case below == nil || d.IntN(2) == 0:
			case d.Seldom() && !slices.Contains(s.always, name):
				delete(m, name)
			default:
				m[name] = d.change(below, m[name])
			}
		}
		for name, extra := range d.make(s).(map[string]any) {
			if _, there := m[name]; !there && d.Seldom() {
				m[name] = extra
			}
		}
		return m
	case set, byKey:
		list := slices.Clone(v.([]any))
		for i := range list {
			if s.sort == byKey && !d.Often() {
				list[i] = d.change(s.below, list[i])
			}
		}
		if len(list) > 0 && d.Seldom() {
			list = slices.Delete(list, 0, 1)
		}
		if d.Seldom() {
			d.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		return list
	default:
		return d.make(s)
	}
}

// at is the shape below a name. It is nil if the shape does not have the name.
func (s *shape) at(name string) *shape {
	if s.sort == entries {
		return s.below
	}
	return s.fields[name]
}

// under is the shape below a name. A shape without a schema is below itself.
func (s *shape) under(name string) *shape {
	if s == nil {
		return nil
	}
	return cmp.Or(s.at(name), s.fields[""])
}

// key is the text of an element's key, empty if it has none.
func (s *shape) key(v any) string {
	if s.sort == set {
		return "[=" + samples.JSON(v) + "]"
	}
	var parts []string
	for _, name := range slices.Sorted(slices.Values(s.keys)) {
		field, ok := v.(map[string]any)[name]
		if !ok {
			field, ok = s.defaults[name], s.defaults[name] != nil
		}
		if ok {
			parts = append(parts, name+"="+samples.JSON(field))
		}
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// elements returns a list's elements by their keys. It is not ok if two have the same key.
func (s *shape) elements(list []any) (elements map[string]any, ok bool) {
	elements = map[string]any{}
	for _, v := range list {
		elements[s.key(v)] = v
	}
	return elements, len(elements) == len(list)
}

// unknown is the shape of values without a schema: a list is one value, and a map never is.
var unknown = func() *shape {
	s := &shape{sort: fields}
	s.fields = map[string]*shape{"": s}
	return s
}()

// modelEdit is an edit with values as JSON. A value that does not exist is empty.
type modelEdit struct {
	What          string // Added, Removed or Modified
	Before, After string
}

// treeModel is a diff of JSON trees by recursion.
type treeModel struct {
	edits map[string]modelEdit
}

// unquoted are names that are written without quotes.
var unquoted = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// modelDiff compares two JSON trees.
func modelDiff(s *shape, before, after map[string]any) map[string]modelEdit {
	m := &treeModel{edits: map[string]modelEdit{}}
	for _, content := range []map[string]any{before, after} {
		if metadata, ok := content["metadata"].(map[string]any); ok {
			delete(metadata, "managedFields") // which does not show either where metadata is not a map on the other side
		}
	}
	m.maps(s, "", before, after)
	return m.edits
}

func (m *treeModel) maps(s *shape, path string, before, after map[string]any) {
	for name := range union(before, after) {
		text := name
		labels := path == "metadata.labels" || path == "metadata.annotations" || strings.HasSuffix(path, ".metadata.labels") || strings.HasSuffix(path, ".metadata.annotations")
		switch {
		case !unquoted.MatchString(name):
			text = path + "[" + strconv.Quote(name) + "]"
		case s != nil && s.sort == entries || labels:
			text = path + "[" + name + "]"
		case path != "":
			text = path + "." + name
		}
		if slices.Contains([]string{"apiVersion", "kind", "metadata.resourceVersion", "metadata.managedFields", "metadata.selfLink"}, text) {
			continue
		}
		below := s.under(name)
		old, was := before[name]
		now, is := after[name]
		oldMap, ok1 := old.(map[string]any)
		nowMap, ok2 := now.(map[string]any)
		if text == "metadata" && ok1 == was && ok2 == is {
			m.maps(below, text, oldMap, nowMap)
			continue
		}
		switch {
		case !was:
			m.edits[text] = modelEdit{"Added", "", samples.JSON(now)}
		case !is:
			m.edits[text] = modelEdit{"Removed", samples.JSON(old), ""}
		default:
			m.values(below, text, old, now)
		}
	}
}

func (m *treeModel) values(s *shape, path string, before, after any) {
	if s == nil {
		s = &shape{}
	}
	oldMap, ok1 := before.(map[string]any)
	nowMap, ok2 := after.(map[string]any)
	if ok1 && ok2 && !s.atomic && (s.sort == fields || s.sort == entries) {
		m.maps(s, path, oldMap, nowMap)
		return
	}
	oldList, ok1 := before.([]any)
	nowList, ok2 := after.([]any)
	if ok1 && ok2 && (s.sort == set || s.sort == byKey) && m.lists(s, path, oldList, nowList) {
		return
	}
	if samples.JSON(before) != samples.JSON(after) {
		m.edits[path] = modelEdit{"Modified", samples.JSON(before), samples.JSON(after)}
	}
}

// lists compares two lists element by element. It returns false if the keys do not identify
// the elements.
func (m *treeModel) lists(s *shape, path string, before, after []any) bool {
	old, ok1 := s.elements(before)
	now, ok2 := s.elements(after)
	if !ok1 || !ok2 {
		return s.sameButForOrder(before, after)
	}
	for key := range union(old, now) {
		switch {
		case now[key] == nil:
			m.edits[path+key] = modelEdit{"Removed", samples.JSON(old[key]), ""}
		case old[key] == nil:
			m.edits[path+key] = modelEdit{"Added", "", samples.JSON(now[key])}
		default:
			m.values(s.below, path+key, old[key], now[key])
		}
	}
	return true
}

// sameButForOrder reports whether each key has the same elements in the same order. The order
// among keys may differ.
func (s *shape) sameButForOrder(before, after []any) bool {
	groups := func(list []any) map[string][]string {
		m := map[string][]string{}
		for _, v := range list {
			m[s.key(v)] = append(m[s.key(v)], samples.JSON(s.below.ordered(v)))
		}
		return m
	}
	return reflect.DeepEqual(groups(before), groups(after))
}

// ordered puts the elements of sets and maps in order.
func (s *shape) ordered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for name, below := range v {
			m[name] = below
			if s != nil && s.at(name) != nil {
				m[name] = s.at(name).ordered(below)
			}
		}
		return m
	case []any:
		if s == nil || s.sort != set && s.sort != byKey {
			return v
		}
		list := make([]any, len(v))
		for i := range v {
			list[i] = s.below.ordered(v[i])
		}
		slices.SortStableFunc(list, func(a, b any) int { return strings.Compare(s.key(a), s.key(b)) })
		return list
	default:
		return v
	}
}

func union(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, b)
	return all
}
