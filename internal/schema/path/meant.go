package path

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// meant returns a path that objects can have and that was probably meant by one that they can't have, and nothing if
// there is none. The first steps lead somewhere, as they are spelled, and the next one does not: another name was meant
// for it, or it belongs to the key of a map.
func meant(root slot, asked Path, right []Step) string {
	if len(asked.Steps) > MaxPath {
		return ""
	}
	at := root
	for i := range right {
		at, _, _ = at.content().step(&right[i], Path{})
	}
	n := len(right)
	var others [][]Step
	if now := at.content(); now.field != nil && asked.Steps[n].Kind == Named {
		for _, name := range nearest(asked.Steps[n].Name, now.names()) {
			others = append(others, slices.Concat(right, []Step{{Kind: Named, Name: name}}, asked.Steps[n+1:]))
		}
	}
	if n > 0 && right[n-1].Entry { // data.tls.crt, for data["tls.crt"]
		for end := len(asked.Steps); end > n; end-- {
			if key, ok := joined(asked.Steps[n-1 : end]); ok {
				others = append(others, slices.Concat(right[:n-1], []Step{{Kind: Named, Name: key, Entry: true}}, asked.Steps[end:]))
			}
		}
	}
	for _, steps := range others {
		if found, _, wrong := lookUp(root, Path{Steps: steps}); wrong == "" {
			return found.String()
		}
	}
	return ""
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

// nearest returns the names that are near enough to one to be meant, the nearest first. It takes the others out of the list.
func nearest(name string, among []string) []string {
	if len(name) > MaxPath {
		return nil
	}
	far := func(other string) int { return distance(strings.ToLower(name), strings.ToLower(other)) }
	near := slices.DeleteFunc(among, func(other string) bool {
		return far(other) > max(1, min(utf8.RuneCountInString(name), utf8.RuneCountInString(other))/3)
	})
	slices.SortStableFunc(near, func(a, b string) int { return far(a) - far(b) })
	return near[:min(len(near), 3)]
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
