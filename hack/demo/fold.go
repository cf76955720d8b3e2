package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// fold gathers calls that had nothing to write: one line says of all of them what they
// were told. Most calls of an operator are such, and hide the others.
type fold struct {
	calls   int
	objects map[string]bool
	told    map[string]int // how many calls were told of a change of that sort
	ran     int            // steps
	could   int            // steps that a call without any knowledge would have run
}

// add takes a call. steps are those that the operator is known to have.
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

// mostSorts is how many sorts of changes are told apart.
const mostSorts = 3

// render says what was folded, and nothing if that is nothing.
func (s style) folded(f fold) []string {
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
	return []string{s.in(faint, strings.Repeat(" ", len(timeFormat))+" "+shorten(text, 220))}
}

// sort is what a change has in common with others, as in "Owned Deployment Updated". The
// operator's own writes are told apart: each comes back as a change.
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

// foldable reports whether a call may be shown with others in one line: it wrote
// nothing, knew what it was called for, and that was no change of the Site itself.
func (e entry) foldable() bool {
	if len(e.Wrote) > 0 || e.Incomplete != "" || len(e.Changes) == 0 {
		return false
	}
	return !slices.ContainsFunc(e.Changes, func(c cause) bool { return strings.HasPrefix(c.Change, "Primary ") })
}

// ran are the steps that a call ran. Only a call that reports a status in the end went
// through the operator's plan.
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
