package delta

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// TestHiddenValuesRuleOutNothing has a kind that is named as Secrets are, whose values are
// hidden whatever they are.
func TestHiddenValuesRuleOutNothing(t *testing.T) {
	vault := &unstructuredv1.Unstructured{Object: map[string]any{
		"apiVersion": "vault.example.com/v1", "kind": "Secret",
		"metadata": map[string]any{"name": "a", "annotations": map[string]any{"owner": "me"}},
		"spec":     map[string]any{"name": "x", "mount": map[string]any{"path": "y"}},
	}}
	for what, d := range map[string]*diff.Diff{"created": diff.New(nil, vault, nil), "deleted": diff.New(vault, nil, nil)} {
		for path, want := range map[string]bool{
			"spec": true, "spec.name": true, "spec.mount.path": true, "metadata.annotations[owner]": true,
			"metadata.labels": false, "metadata.annotations[other]": false,
		} {
			if got := d.Touches(path); got != want {
				t.Errorf("%s: Touches(%s) = %v, want %v, of %s", what, path, got, want, d)
			}
		}
	}
}

// TestADottedKeyIsTouchedWithoutBrackets asks for data["config.yaml"] as one that does not
// know of brackets does.
func TestADottedKeyIsTouchedWithoutBrackets(t *testing.T) {
	typed := func(data map[string]string) Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: data}
	}
	untyped := func(data map[string]string) Object {
		content := map[string]any{}
		for key, v := range data {
			content[key] = v
		}
		return &unstructuredv1.Unstructured{Object: map[string]any{"apiVersion": "a.b/v1", "kind": "Custom", "metadata": map[string]any{"name": "a"}, "data": content}}
	}
	for name, form := range map[string]func(map[string]string) Object{"typed": typed, "unstructured": untyped} {
		before, after := form(map[string]string{"config.yaml": "1", "config": "1"}), form(map[string]string{"config.yaml": "2", "config": "1"})
		for what, d := range map[string]*diff.Diff{"updated": diff.New(before, after, nil), "created": diff.New(nil, after, nil)} {
			if !d.Touches("data.config.yaml") {
				t.Errorf("%s, %s: data.config.yaml is not touched by %s", name, what, d)
			}
		}
		if d := diff.New(before, after, nil); d.Touches("data.config") || d.Touches("data[config]") || d.Touches(`data["config.json"]`) {
			t.Errorf("%s: another key is touched by %s", name, d)
		}
	}
}
