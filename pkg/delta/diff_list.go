package delta

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// listShape tells the elements of one list from each other, as its schema says: by
// the fields of their key, or by their value where there are none.
type listShape struct {
	list     *schema.List
	defaults map[string]value.Value // of fields of the key
}

// shape returns nil for a list that is one value.
func (w *walker) shape(list *schema.List) *listShape {
	if list == nil || list.ElementRelationship != schema.Associative {
		return nil
	}
	s := &listShape{list: list}
	atom, _ := w.schema.Resolve(list.ElementType)
	for _, key := range list.Keys {
		if atom.Map == nil {
			break
		}
		if field, ok := atom.Map.FindField(key); ok && field.Default != nil {
			if s.defaults == nil {
				s.defaults = map[string]value.Value{}
			}
			s.defaults[key] = value.NewValueInterface(field.Default)
		}
	}
	return s
}

// index finds the elements of a list by the text of the step that leads to each. It
// is not ok if two have the same, or one has none.
func (s *listShape) index(list value.List) (elements map[string]value.Value, ok bool) {
	if s == nil {
		return nil, false
	}
	if list == nil {
		return nil, true
	}
	elements = make(map[string]value.Value, list.Length())
	for i := range list.Length() {
		v := list.At(i)
		text, ok := s.text(v)
		if !ok {
			return nil, false
		}
		if _, twice := elements[text]; twice {
			return nil, false
		}
		elements[text] = v
	}
	return elements, true
}

// text is that of the step which leads to an element.
func (s *listShape) text(v value.Value) (text string, ok bool) {
	if len(s.list.Keys) == 0 {
		if v.IsMap() || v.IsList() || v.IsNull() {
			return "", false
		}
		return (&step{kind: member, name: scalarText(v)}).text(), true
	}
	m := asMap(v)
	if m == nil {
		return "", false
	}
	e := step{kind: element}
	for _, name := range s.list.Keys {
		field := fieldOf(m, name)
		if field == nil {
			field = s.defaults[name]
		}
		if field != nil {
			e.keys = append(e.keys, keyField{name, scalarText(field)})
		}
	}
	e.sortKeys()
	return e.text(), len(e.keys) > 0
}

// step is the one that structured-merge-diff means by an element of a path.
func (s *listShape) step(pe fieldpath.PathElement) (step, bool) {
	switch {
	case pe.Value != nil:
		return step{kind: member, name: scalarText(*pe.Value), in: s}, true
	case pe.Key != nil:
		e := step{kind: element, in: s}
		for _, field := range *pe.Key {
			e.keys = append(e.keys, keyField{field.Name, scalarText(field.Value)})
		}
		e.sortKeys()
		return e, true
	default:
		return step{}, false
	}
}
