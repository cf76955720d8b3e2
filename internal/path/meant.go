package path

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxTries bounds the search for a path that was meant.
const maxTries = 500

// meant returns a path of the kind that the text was probably meant to be, and nothing if
// there is none.
func (k Kind) meant(text string, schemas Schemas) string {
	if len(text) > 10*MaxPath {
		return ""
	}
	root := k.root(schemas)
	all := readings(text)
	for _, r := range []repair{{}, {shorten: true}} {
		for _, steps := range all {
			r.tries = 0
			if found, ok := r.from(root, nil, steps); ok && len(found) > 0 {
				return Path{Steps: found}.String()
			}
		}
	}
	return ""
}

// readings are the steps that a text may be meant to be: as a path of ours, of jsonpath or
// jq, as a JSON pointer, or as names between dots.
func readings(text string) (all [][]Step) {
	text = strings.TrimSpace(text)
	text = strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"), "$")
	text = strings.ReplaceAll(text, "[]", "[*]")
	if strings.HasPrefix(text, "/") {
		return [][]Step{names(strings.Split(text[1:], "/"), strings.NewReplacer("~1", "/", "~0", "~"))}
	}
	if parsed, err := Parse(text); err == nil {
		all = append(all, parsed.Steps)
	}
	return append(all, names(strings.Split(text, "."), strings.NewReplacer()))
}

func names(parts []string, unescape *strings.Replacer) []Step {
	steps := make([]Step, 0, len(parts))
	for _, part := range parts {
		if part != "" {
			steps = append(steps, Step{Kind: Named, Name: unescape.Replace(part)})
		}
	}
	return steps
}

// repair looks for steps that lead somewhere, as near as can be to those that do not.
type repair struct {
	shorten bool // steps below a place that has nothing below it may be left out
	tries   int
}

// from returns the steps so far with those that lead on from a place in place of the
// given ones.
func (r *repair) from(at slot, so, steps []Step) ([]Step, bool) {
	if r.tries++; r.tries > maxTries {
		return nil, false
	}
	if len(steps) == 0 {
		return so, true
	}
	now := at.content()
	if now.any {
		return slices.Concat(so, steps), true
	}
	if next, spelled, wrong := now.step(&steps[0], Path{}); wrong == "" {
		if found, ok := r.from(next, append(slices.Clip(so), spelled), steps[1:]); ok {
			return found, true
		}
	}
	others := now.others(steps)
	if len(so) == 0 && steps[0].Kind == Named { // where most of what people look for is
		for _, top := range []string{"spec", "metadata", "status"} {
			others = append(others, append([]Step{{Kind: Named, Name: top}}, steps...))
		}
	}
	for _, other := range others {
		if next, spelled, wrong := now.step(&other[0], Path{}); wrong == "" {
			if found, ok := r.from(next, append(slices.Clip(so), spelled), other[1:]); ok {
				return found, true
			}
		}
	}
	leaf := now.field == nil && now.entry == nil && now.element == nil
	return so, r.shorten && leaf
}

// others are steps to try in place of some that lead nowhere, the likeliest first.
func (c content) others(steps []Step) (all [][]Step) {
	s, rest := steps[0], steps[1:]
	if c.field != nil && s.Kind == Named {
		for _, name := range nearest(s.Name, c.names()) {
			all = append(all, append([]Step{{Kind: Named, Name: name}}, rest...))
		}
	}
	if c.entry != nil && s.Kind == Named { // data.tls.crt, for data["tls.crt"]
		for n := len(steps); n > 1; n-- {
			if key, ok := joined(steps[:n]); ok {
				all = append(all, append([]Step{{Kind: Named, Name: key, Entry: true}}, steps[n:]...))
			}
		}
	}
	if c.entry != nil && s.Kind == Place {
		all = append(all, append([]Step{{Kind: Named, Name: strconv.Itoa(s.Index), Entry: true}}, rest...))
	}
	if c.element != nil {
		all = append(all, c.element.content().asElement(steps)...)
	}
	if c.field != nil && s.Kind != Named && len(rest) > 0 { // a struct that was taken for a list
		all = append(all, rest)
	}
	return all
}

// asElement are steps to try where there is a list, whose elements have this content.
func (c content) asElement(steps []Step) (all [][]Step) {
	s, rest := steps[0], steps[1:]
	if index, err := strconv.Atoi(s.Name); err == nil && s.Kind == Named && index >= 0 {
		all = append(all, append([]Step{{Kind: Place, Index: index}}, rest...))
	}
	if s.Kind == Element {
		fixed := Step{Kind: Element, Keys: slices.Clone(s.Keys)}
		for i := range fixed.Keys {
			fixed.Keys[i] = c.fixed(fixed.Keys[i])
		}
		fixed.SortKeys()
		all = append(all, append([]Step{fixed}, rest...))
		if len(s.Keys) == 1 && c.scalar != 0 {
			all = append(all, append([]Step{{Kind: Member, Name: s.Keys[0].Value}}, rest...))
		}
	}
	if s.Kind == Named {
		all = append(all, append([]Step{{Kind: Every}}, steps...))
	}
	return all
}

// fixed is a field of a key with a name that there is, and a value that it can have.
func (c content) fixed(key KeyField) KeyField {
	if c.field == nil {
		return key
	}
	if _, ok := c.field(key.Name); !ok {
		if near := nearest(key.Name, c.names()); len(near) > 0 {
			key.Name = near[0]
		}
	}
	field, ok := c.field(key.Name)
	if !ok {
		return key
	}
	switch want, is := field.content().scalar, scalarIn(key.Value); {
	case is == 0 || want&is != 0:
	case want == textual:
		key.Value = strconv.Quote(key.Value)
	case is == textual:
		if unquoted, err := strconv.Unquote(key.Value); err == nil {
			key.Value = unquoted
		}
	}
	return key
}

// joined is the key that steps spell which were taken for names between dots.
func joined(steps []Step) (key string, ok bool) {
	parts := make([]string, len(steps))
	for i := range steps {
		if steps[i].Kind != Named || steps[i].Entry {
			return "", false
		}
		parts[i] = steps[i].Name
	}
	return strings.Join(parts, "."), true
}

// nearest returns the names that are near enough to one to be meant, the nearest first.
func nearest(name string, among []string) []string {
	type candidate struct {
		name string
		far  int
	}
	var all []candidate
	if len(name) > MaxPath {
		return nil
	}
	for _, other := range among {
		far := distance(strings.ToLower(name), strings.ToLower(other))
		if far <= max(1, min(utf8.RuneCountInString(name), utf8.RuneCountInString(other))/3) {
			all = append(all, candidate{other, far})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.far - b.far })
	near := make([]string, 0, 3)
	for _, c := range all[:min(len(all), 3)] {
		near = append(near, c.name)
	}
	return near
}

// distance is how many letters have to be added, taken away, exchanged or swapped with
// their neighbour to make b of a.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
