package path

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Shape tells the elements of one list from each other, as its schema says: by
// the fields of their key, or by their value where there are none.
type Shape struct {
	List     *schema.List
	defaults map[string]value.Value // of fields of the key
}

// ShapeOf returns what tells the elements of a list apart. It returns nil for a list that is
// one value.
func ShapeOf(in *schema.Schema, list *schema.List) *Shape {
	if list == nil || list.ElementRelationship != schema.Associative {
		return nil
	}
	s := &Shape{List: list}
	atom, _ := in.Resolve(list.ElementType)
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

// Index finds the elements of a list by the text of the step that leads to each. It
// is not ok if two have the same, or one has none.
func (s *Shape) Index(list value.List) (elements map[string]value.Value, ok bool) {
	if s == nil {
		return nil, false
	}
	if list == nil {
		return nil, true
	}
	elements = make(map[string]value.Value, list.Length())
	for i := range list.Length() {
		v := list.At(i)
		text, ok := s.Text(v)
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

// Text is that of the step which leads to an element.
func (s *Shape) Text(v value.Value) (text string, ok bool) {
	if len(s.List.Keys) == 0 {
		if v.IsMap() || v.IsList() || v.IsNull() {
			return "", false
		}
		return (&Step{Kind: Member, Name: ScalarText(v)}).Text(), true
	}
	m := AsMap(v)
	if m == nil {
		return "", false
	}
	e := Step{Kind: Element}
	for _, name := range s.List.Keys {
		field := FieldOf(m, name)
		if field == nil {
			field = s.defaults[name]
		}
		if field != nil {
			e.Keys = append(e.Keys, KeyField{name, ScalarText(field)})
		}
	}
	e.SortKeys()
	return e.Text(), len(e.Keys) > 0
}

// Step is the one that structured-merge-diff means by an element of a path.
func (s *Shape) Step(pe fieldpath.PathElement) (Step, bool) {
	switch {
	case pe.Value != nil:
		return Step{Kind: Member, Name: ScalarText(*pe.Value)}, true
	case pe.Key != nil:
		e := Step{Kind: Element}
		for _, field := range *pe.Key {
			e.Keys = append(e.Keys, KeyField{field.Name, ScalarText(field.Value)})
		}
		e.SortKeys()
		return e, true
	default:
		return Step{}, false
	}
}
