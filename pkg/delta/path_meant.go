package delta

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
func (k pathKind) meant(text string, schemas Schemas) string {
	if len(text) > 10*maxPath {
		return ""
	}
	root := k.root(schemas)
	all := readings(text)
	for _, r := range []repair{{}, {shorten: true}} {
		for _, steps := range all {
			r.tries = 0
			if found, ok := r.from(root, nil, steps); ok && len(found) > 0 {
				return Path{steps: found}.String()
			}
		}
	}
	return ""
}

// readings are the steps that a text may be meant to be: as a path of ours, of jsonpath or
// jq, as a JSON pointer, or as names between dots.
func readings(text string) (all [][]step) {
	text = strings.TrimSpace(text)
	text = strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"), "$")
	text = strings.ReplaceAll(text, "[]", "[*]")
	if strings.HasPrefix(text, "/") {
		return [][]step{names(strings.Split(text[1:], "/"), strings.NewReplacer("~1", "/", "~0", "~"))}
	}
	if parsed, err := ParsePath(text); err == nil {
		all = append(all, parsed.steps)
	}
	return append(all, names(strings.Split(text, "."), strings.NewReplacer()))
}

func names(parts []string, unescape *strings.Replacer) []step {
	steps := make([]step, 0, len(parts))
	for _, part := range parts {
		if part != "" {
			steps = append(steps, step{kind: named, name: unescape.Replace(part)})
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
func (r *repair) from(at slot, so, steps []step) ([]step, bool) {
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
	if len(so) == 0 && steps[0].kind == named { // where most of what people look for is
		for _, top := range []string{"spec", "metadata", "status"} {
			others = append(others, append([]step{{kind: named, name: top}}, steps...))
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
func (c content) others(steps []step) (all [][]step) {
	s, rest := steps[0], steps[1:]
	if c.field != nil && s.kind == named {
		for _, name := range nearest(s.name, c.names()) {
			all = append(all, append([]step{{kind: named, name: name}}, rest...))
		}
	}
	if c.entry != nil && s.kind == named { // data.tls.crt, for data["tls.crt"]
		for n := len(steps); n > 1; n-- {
			if key, ok := joined(steps[:n]); ok {
				all = append(all, append([]step{{kind: named, name: key, entry: true}}, steps[n:]...))
			}
		}
	}
	if c.entry != nil && s.kind == place {
		all = append(all, append([]step{{kind: named, name: strconv.Itoa(s.index), entry: true}}, rest...))
	}
	if c.element != nil {
		all = append(all, c.element.content().asElement(steps)...)
	}
	if c.field != nil && s.kind != named && len(rest) > 0 { // a struct that was taken for a list
		all = append(all, rest)
	}
	return all
}

// asElement are steps to try where there is a list, whose elements have this content.
func (c content) asElement(steps []step) (all [][]step) {
	s, rest := steps[0], steps[1:]
	if index, err := strconv.Atoi(s.name); err == nil && s.kind == named && index >= 0 {
		all = append(all, append([]step{{kind: place, index: index}}, rest...))
	}
	if s.kind == element {
		fixed := step{kind: element, keys: slices.Clone(s.keys)}
		for i := range fixed.keys {
			fixed.keys[i] = c.fixed(fixed.keys[i])
		}
		fixed.sortKeys()
		all = append(all, append([]step{fixed}, rest...))
		if len(s.keys) == 1 && c.scalar != 0 {
			all = append(all, append([]step{{kind: member, name: s.keys[0].value}}, rest...))
		}
	}
	if s.kind == named {
		all = append(all, append([]step{{kind: every}}, steps...))
	}
	return all
}

// fixed is a field of a key with a name that there is, and a value that it can have.
func (c content) fixed(key keyField) keyField {
	if c.field == nil {
		return key
	}
	if _, ok := c.field(key.name); !ok {
		if near := nearest(key.name, c.names()); len(near) > 0 {
			key.name = near[0]
		}
	}
	field, ok := c.field(key.name)
	if !ok {
		return key
	}
	switch want, is := field.content().scalar, scalarIn(key.value); {
	case is == 0 || want&is != 0:
	case want == textual:
		key.value = strconv.Quote(key.value)
	case is == textual:
		if unquoted, err := strconv.Unquote(key.value); err == nil {
			key.value = unquoted
		}
	}
	return key
}

// joined is the key that steps spell which were taken for names between dots.
func joined(steps []step) (key string, ok bool) {
	parts := make([]string, len(steps))
	for i := range steps {
		if steps[i].kind != named || steps[i].entry {
			return "", false
		}
		parts[i] = steps[i].name
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
	if len(name) > maxPath {
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
