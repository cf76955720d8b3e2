package e2e

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// verify compares a listener's log with what really happened, and returns what is wrong.
//
//   - An object is added when the listener did not know it, and updated or deleted when it
//     did. An update names the state that the listener was told last.
//   - Versions of an object never go back. Except for a resync, they go forward.
//   - Every version is one that the object really had.
//   - A delete without a mark has the version of the deletion. A delete with the mark has the
//     last state that the listener knew, and the object was deleted after that.
//   - Readers can see what the listener is told: the store is not behind.
func verify(log []note, truth map[cache.ObjectName][]change) []string {
	var problems []string
	known := map[cache.ObjectName]uint64{} // version of each object in the listener's world
	last := map[cache.ObjectName]uint64{}  // highest version that it was told
	for i, n := range log {
		for _, complaint := range []string{
			order(n, known, last), reality(n, truth[n.key]), visibility(n),
		} {
			if complaint != "" {
				problems = append(problems, fmt.Sprintf("note %d: %s: %s", i, n, complaint))
			}
		}
		last[n.key] = max(last[n.key], n.version)
		if n.op == deleted || n.op == missed {
			delete(known, n.key)
		} else {
			known[n.key] = n.version
		}
	}
	return problems
}

func order(n note, known, last map[cache.ObjectName]uint64) string {
	before, knew := known[n.key]
	switch n.op {
	case added:
		if knew {
			return fmt.Sprintf("it was there already, at %d", before)
		}
		if n.version <= last[n.key] {
			return fmt.Sprintf("version %d was told of before", last[n.key])
		}
	case updated:
		if !knew {
			return "it was not there"
		}
		if n.old != before {
			return fmt.Sprintf("the state before was %d", before)
		}
		if n.version < before {
			return fmt.Sprintf("version %d was told of before", before)
		}
	case deleted:
		if !knew {
			return "it was not there"
		}
		if n.version <= before {
			return fmt.Sprintf("version %d was told of before", before)
		}
	case missed:
		if !knew {
			return "it was not there"
		}
		if n.version != before {
			return fmt.Sprintf("the last known state was %d", before)
		}
	default:
		panic(fmt.Sprintf("BUG: a note has op %d", n.op))
	}
	return ""
}

func reality(n note, changes []change) string {
	had := func(c change) bool { return slices.Contains(changes, c) }
	switch n.op {
	case added, updated:
		if !had(change{version: n.version}) {
			return "it never had that version"
		}
	case deleted:
		if !had(change{version: n.version, deleted: true}) {
			return "it was not deleted then"
		}
	case missed:
		if !slices.ContainsFunc(changes, func(c change) bool { return c.deleted && c.version > n.version }) {
			return "it was not deleted since"
		}
	default:
		panic(fmt.Sprintf("BUG: a note has op %d", n.op))
	}
	return ""
}

// visibility leaves out absent objects, because they may have been deleted since.
func visibility(n note) string {
	if (n.op == added || n.op == updated) && n.inStore != 0 && n.inStore < n.version {
		return "readers could not see it yet"
	}
	return ""
}

// perObject splits a log by object. It leaves out notifications with nothing new.
func perObject(log []note) map[cache.ObjectName][]note {
	split := map[cache.ObjectName][]note{}
	for _, n := range log {
		if n.op == updated && n.old == n.version {
			continue // a resync, or seen again in a list
		}
		n.inStore, n.sinceStart = 0, 0
		split[n.key] = append(split[n.key], n)
	}
	return split
}

// sameStory compares what two listeners were told about each object. match says what may be
// missing in the log of one of them.
func sameStory(one, whole []note, match func(one, whole []note) bool) []string {
	var problems []string
	ones, wholes := perObject(one), perObject(whole)
	for key, story := range wholes {
		if !match(ones[key], story) {
			problems = append(problems, fmt.Sprintf("%s: told %v, the steady listener was told %v", key, ones[key], story))
		}
	}
	for key, story := range ones {
		if _, ok := wholes[key]; !ok {
			problems = append(problems, fmt.Sprintf("%s: told %v, the steady listener nothing", key, story))
		}
	}
	return problems
}

// isPrefix is the match for a listener that left early.
func isPrefix(one, whole []note) bool {
	return len(one) <= len(whole) && slices.Equal(one, whole[:len(one)])
}

// isSuffix is the match for a listener that came late. It is told the present state as added,
// and from then on the same as others.
func isSuffix(one, whole []note) bool {
	if len(one) > len(whole) {
		return false
	}
	if len(one) == 0 {
		// Only an object that was gone by then may be missing.
		end := whole[len(whole)-1].op
		return end == deleted || end == missed
	}
	rest := whole[len(whole)-len(one):]
	found := rest[0].op == added || rest[0].op == updated
	return found && one[0].op == added && one[0].version == rest[0].version && slices.Equal(one[1:], rest[1:])
}

// difference says how two worlds differ. It is empty if they are the same.
func difference(got, want map[cache.ObjectName]metav1.Object) string {
	for key, object := range want {
		other, ok := got[key]
		switch {
		case !ok:
			return fmt.Sprintf("%d objects, want %d; %s is missing", len(got), len(want), key)
		case other.GetResourceVersion() != object.GetResourceVersion():
			return fmt.Sprintf("%s is at %s, want %s", key, other.GetResourceVersion(), object.GetResourceVersion())
		case !equality.Semantic.DeepEqual(other, object):
			return fmt.Sprintf("%s at %s differs from the server's", key, object.GetResourceVersion())
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			return fmt.Sprintf("%d objects, want %d; %s is gone on the server", len(got), len(want), key)
		}
	}
	return ""
}

// report shows only the first problems, because one fault causes many.
func report(t *testing.T, who string, problems []string) {
	t.Helper()
	const shown = 5
	for i, problem := range problems {
		if i == shown {
			t.Errorf("%s: and %d more", who, len(problems)-shown)
			return
		}
		t.Errorf("%s: %s", who, problem)
	}
}

// tally counts the notifications in a log, so that a person can see that a run did enough.
func tally(log []note) string {
	counts := map[string]int{}
	for _, n := range log {
		name := n.op.String()
		if n.op == updated && n.old == n.version {
			name = "unchanged"
		}
		counts[name]++
	}
	return fmt.Sprint(counts)
}

// holds reports whether an object has these fields.
func holds(obj metav1.Object, fields map[string]any) bool {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		panic(fmt.Sprintf("read the fields of a %T: %v", obj, err))
	}
	for name, want := range fields {
		if !equality.Semantic.DeepEqual(content[name], want) {
			return false
		}
	}
	return true
}
