package path

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func at(uid types.UID, version, label string) Object {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: version, Labels: map[string]string{"a": label}}}
}

func metaAt(uid types.UID, version string) Object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: version}}
}

func TestTwoStates(t *testing.T) {
	one, bare := at("a", "1", ""), at("a", "", "")
	for name, tt := range map[string]struct {
		a, b                              Object
		object, version, same, inOnePlace bool
	}{
		"one in memory":               {one, one, true, true, true, true},
		"one version":                 {one, at("a", "1", ""), true, true, true, false},
		"one version, other contents": {one, at("a", "1", "x"), true, true, false, false},
		"one version, two forms":      {one, metaAt("a", "1"), true, true, true, false},
		"two versions":                {one, at("a", "2", ""), true, false, false, false},
		"two objects":                 {one, at("b", "1", ""), false, false, false, false},
		"one in memory, no version":   {bare, bare, true, false, true, true},
		"no version":                  {at("a", "", ""), at("a", "", ""), true, false, false, false},
		"a UID that is not known":     {one, at("", "1", ""), true, false, false, false},
	} {
		if got := SameObject(tt.a, tt.b); got != tt.object {
			t.Errorf("%s: SameObject is %t", name, got)
		}
		if got := SameVersion(tt.a, tt.b); got != tt.version {
			t.Errorf("%s: SameVersion is %t", name, got)
		}
		if got := SameState(tt.a, tt.b); got != tt.same {
			t.Errorf("%s: SameState is %t", name, got)
		}
		if got := Identical(tt.a, tt.b); got != tt.inOnePlace {
			t.Errorf("%s: Identical is %t", name, got)
		}
	}
	if !SameState(nil, nil) || SameState(one, nil) || SameState(nil, one) {
		t.Error("nothing is the same state as nothing, and as nothing else")
	}
}
