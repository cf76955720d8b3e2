package diff

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
)

// metaOnly is an object from a watch that shows only metadata.
func metaOnly(uid types.UID, version string, labels map[string]string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: uid, ResourceVersion: version, Labels: labels},
	}
}

// TestMetadataAloneRulesOutNoContent has changes of objects that are kept as metadata.
// Another version may differ in every field that this form lacks.
func TestMetadataAloneRulesOutNoContent(t *testing.T) {
	whole := &corev1.ConfigMap{TypeMeta: metaOnly("u", "1", nil).TypeMeta, ObjectMeta: metaOnly("u", "1", nil).ObjectMeta}
	for name, c := range map[string]struct {
		before, after   Object
		content, labels bool // what has to be touched
		empty           bool
	}{
		"another version":           {before: metaOnly("u", "1", nil), after: metaOnly("u", "2", nil), content: true},
		"another version and label": {before: metaOnly("u", "1", nil), after: metaOnly("u", "2", map[string]string{"a": "b"}), content: true, labels: true},
		"the same version":          {before: metaOnly("u", "1", nil), after: metaOnly("u", "1", nil), empty: true},
		"no version":                {before: metaOnly("u", "", nil), after: metaOnly("u", "", nil), content: true},
		"it came":                   {after: metaOnly("u", "1", nil), content: true},
		"it went":                   {before: metaOnly("u", "1", nil), content: true},
		"the whole object before":   {before: whole, after: metaOnly("u", "2", nil), content: true},
		"the whole object after":    {before: metaOnly("u", "0", nil), after: whole, content: true},
	} {
		for _, d := range []*Diff{New(c.before, c.after, samples.Builtin), New(c.before, c.after, nil)} {
			for path, want := range map[string]bool{"data": c.content, "data.a": c.content, "": c.content, "metadata.labels": c.labels, "metadata.finalizers": false} {
				if got := d.Touches(path); got != want {
					t.Errorf("%s: Touches(%q) = %v, want %v, of %s", name, path, got, want, d)
				}
			}
			if got := d.Empty(); got != c.empty {
				t.Errorf("%s: Empty() = %v, want %v, of %s", name, got, c.empty, d)
			}
		}
	}
	if got, want := New(metaOnly("u", "1", nil), metaOnly("u", "2", nil), nil).String(), "no changes of the metadata; what else changed is not known"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	same := metaOnly("u", "", nil)
	if d := New(same, same, nil); d.Touches("data") || !d.Empty() {
		t.Error("one object in memory has changed")
	}
}

// TestANamesakeIsTouchedEverywhere replaces objects by others that look the same.
func TestANamesakeIsTouchedEverywhere(t *testing.T) {
	typed := func(uid types.UID) Object { return samples.Web(func(d *appsv1.Deployment) { d.UID = uid }) }
	untyped := func(uid types.UID) Object {
		u := &unstructuredv1.Unstructured{Object: map[string]any{"apiVersion": "a.b/v1", "kind": "Custom", "spec": map[string]any{"replicas": int64(3)}}}
		u.SetUID(uid)
		return u
	}
	partial := func(uid types.UID) Object { return metaOnly(uid, "1", nil) }
	for name, form := range map[string]func(types.UID) Object{"typed": typed, "unstructured": untyped, "metadata": partial} {
		for _, path := range []string{"spec.replicas", "status", "metadata.labels", ""} {
			if !New(form("1"), form("2"), nil).Touches(path) {
				t.Errorf("%s: another object of the same name does not touch %q", name, path)
			}
		}
		for _, uids := range [][2]types.UID{{"1", "1"}, {"", "1"}, {"1", ""}} {
			if New(form(uids[0]), form(uids[1]), nil).Touches("metadata.labels") {
				t.Errorf("%s: the UIDs %q are taken for two objects", name, uids)
			}
		}
	}
}
