package e2e

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// truth is the history of one object: created at 3, changed at 5, deleted at 7, created again
// at 9.
var truth = []change{{version: 3}, {version: 5}, {version: 7, deleted: true}, {version: 9}}

func TestVerifyFindsWhatIsWrongInALog(t *testing.T) {
	for _, c := range []struct {
		name string
		log  []note
		want string // part of the only complaint; empty if there should be none
	}{
		{"all of it", []note{
			{op: added, version: 3, inStore: 3}, {op: updated, old: 3, version: 5, inStore: 7},
			{op: deleted, version: 7}, {op: added, version: 9},
		}, ""},
		{"delete missed", []note{{op: added, version: 5}, {op: missed, version: 5}, {op: added, version: 9}}, ""},
		{"delete and return missed", []note{{op: added, version: 5}, {op: updated, old: 5, version: 9}}, ""},
		{"resynced", []note{{op: added, version: 5}, {op: updated, old: 5, version: 5}}, ""},

		{"added twice", []note{{op: added, version: 3}, {op: added, version: 5}}, "it was there already"},
		{"old version comes back", []note{{op: added, version: 5}, {op: deleted, version: 7}, {op: added, version: 3}}, "version 7 was told of before"},
		{"update without add", []note{{op: updated, old: 3, version: 5}}, "it was not there"},
		{"update goes back", []note{{op: added, version: 5}, {op: updated, old: 5, version: 3}}, "version 5 was told of before"},
		{"update from another state", []note{{op: added, version: 3}, {op: updated, old: 5, version: 5}}, "the state before was 3"},
		{"delete without add", []note{{op: deleted, version: 7}}, "it was not there"},
		{"deleted twice", []note{{op: added, version: 5}, {op: missed, version: 5}, {op: missed, version: 5}}, "it was not there"},
		{"delete at another version", []note{{op: added, version: 5}, {op: deleted, version: 8}}, "it was not deleted then"},
		{"mark with another state", []note{{op: added, version: 3}, {op: missed, version: 5}}, "the last known state was 3"},
		{"mark on what was not deleted", []note{{op: added, version: 9}, {op: missed, version: 9}}, "it was not deleted since"},
		{"invented version", []note{{op: added, version: 4}}, "it never had that version"},
		{"store behind", []note{{op: added, version: 5, inStore: 3}}, "readers could not see it yet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			problems := verify(c.log, map[cache.ObjectName][]change{{}: truth})
			switch {
			case c.want == "" && len(problems) > 0:
				t.Errorf("found %q in a good log", problems)
			case c.want != "" && (len(problems) != 1 || !strings.Contains(problems[0], c.want)):
				t.Errorf("found %q, want one problem with %q", problems, c.want)
			}
		})
	}
}

func TestStoriesAreCompared(t *testing.T) {
	whole := []note{
		{op: added, version: 3}, {op: updated, old: 3, version: 3}, {op: updated, old: 3, version: 5}, {op: deleted, version: 7},
	}
	for _, c := range []struct {
		name  string
		one   []note
		match func(one, whole []note) bool
		same  bool
	}{
		{"the same, resync aside", []note{whole[0], whole[2], whole[3]}, slices.Equal[[]note], true},
		{"one less", []note{whole[0], whole[3]}, slices.Equal[[]note], false},
		{"nothing", nil, slices.Equal[[]note], false},
		{"left early", whole[:3], isPrefix, true},
		{"left early, and skipped", []note{whole[2]}, isPrefix, false},
		{"left early, and was told more", append(slices.Clone(whole), note{op: added, version: 9}), isPrefix, false},
		{"came late", []note{{op: added, version: 5}, whole[3]}, isSuffix, true},
		{"came when it was gone", nil, isSuffix, true},
		{"came late, and was told an update", []note{whole[2], whole[3]}, isSuffix, false},
		{"came late, and was told an old state", []note{{op: added, version: 3}, whole[3]}, isSuffix, false},
		{"came late, and was told of a delete alone", []note{whole[3]}, isSuffix, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if problems := sameStory(c.one, whole, c.match); (len(problems) == 0) != c.same {
				t.Errorf("found %q, want same=%t", problems, c.same)
			}
		})
	}
	if problems := sameStory(whole, nil, isPrefix); len(problems) != 1 {
		t.Errorf("an object that only one listener was told of: found %q", problems)
	}
}

func TestDifferenceFindsOneOddObject(t *testing.T) {
	world := func(versions ...string) map[cache.ObjectName]metav1.Object {
		w := map[cache.ObjectName]metav1.Object{}
		for i, version := range versions {
			name := string(rune('a' + i))
			w[cache.NewObjectName("", name)] = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version}}
		}
		return w
	}
	relabelled := world("1", "2")
	relabelled[cache.NewObjectName("", "b")].SetLabels(map[string]string{"odd": "yes"})
	for name, got := range map[string]map[cache.ObjectName]metav1.Object{
		"b is missing": world("1"), "c is gone on the server": world("1", "2", "3"),
		"b is at 3": world("1", "3"), "b at 2 differs": relabelled,
	} {
		if wrong := difference(got, world("1", "2")); !strings.Contains(wrong, name) {
			t.Errorf("found %q, want %q", wrong, name)
		}
	}
	if wrong := difference(world("1", "2"), world("1", "2")); wrong != "" {
		t.Errorf("found %q in equal worlds", wrong)
	}
}
