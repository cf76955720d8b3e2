package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// fold collects calls that had nothing to write. One line shows the changes that all of them
// were told. Most calls of an operator are like that, and would hide the others.
type fold struct {
	calls   int
	objects map[string]bool
	told    map[string]int // how many calls were told a change of that sort
	ran     int            // steps
	could   int            // steps that would have run if the calls had not known what changed
}

// add adds a call. steps are the steps of the operator that are known.
func (f *fold) add(e entry, steps int) {
	if f.calls == 0 {
		*f = fold{objects: map[string]bool{}, told: map[string]int{}}
	}
	f.calls++
	f.objects[e.object()] = true
	for _, because := range e.Changes {
		f.told[because.sort()]++
	}
	if ran, planned := e.ran(); planned {
		f.ran, f.could = f.ran+len(ran), f.could+steps
	}
}

// mostSorts is how many sorts of changes the line names.
const mostSorts = 3

// render returns the line about the collected calls, or nothing if there are none.
func folded(f fold) []string {
	if f.calls == 0 {
		return nil
	}
	sorts := slices.SortedFunc(maps.Keys(f.told), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.told[b], f.told[a]), cmp.Compare(a, b))
	})
	var told []string
	for i, sort := range sorts {
		if i == mostSorts && len(sorts) > mostSorts+1 {
			told = append(told, fmt.Sprintf("%d others", len(sorts)-i))
			break
		}
		told = append(told, fmt.Sprintf("%s ×%d", sort, f.told[sort]))
	}
	who := counted(len(f.objects), "Site")
	if len(f.objects) == 1 {
		for who = range f.objects {
		}
	}
	text := fmt.Sprintf("+ %s of %s with nothing to write", counted(f.calls, "call"), shorten(who, 80))
	if len(told) > 0 {
		text += ": " + strings.Join(told, ", ")
	}
	if f.could > 0 {
		text += fmt.Sprintf("  (ran %d of %d steps)", f.ran, f.could)
	}
	return []string{in(faint, strings.Repeat(" ", len(timeFormat))+" "+shorten(text, 220))}
}

// sort is what a change has in common with similar ones, as in "Owned Deployment Updated".
// The operator's own writes are sorts of their own, because each of them comes back as a
// change.
func (c cause) sort() string {
	words := strings.Fields(c.Change)
	if len(words) < 4 {
		return c.Change
	}
	if by := words[len(words)-1]; by == fieldManager && words[len(words)-2] == "by" {
		return "own write of " + words[1]
	}
	return strings.Join(append(words[:2:2], words[3]), " ")
}

// foldable reports whether the line may stand for a call: the call wrote nothing, and it knew
// why it was called, and the reason was not a change of the Site itself.
func (e entry) foldable() bool {
	if len(e.Wrote) > 0 || e.Incomplete != "" || len(e.Changes) == 0 {
		return false
	}
	return !slices.ContainsFunc(e.Changes, func(c cause) bool { return strings.HasPrefix(c.Change, "Primary ") })
}

// ran returns the steps that a call ran. Only a call with the step status went through all
// steps of the operator.
func (e entry) ran() (steps []string, planned bool) {
	all := strings.Split(e.Steps, ",")
	if all[len(all)-1] != "status" {
		return nil, false
	}
	return all[:len(all)-1], true
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
