package schemas_test

import (
	"errors"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// formOf is an object of a kind that says no more than its kind.
func formOf(kind schema.GroupVersionKind) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u
}

// withFreeFields adds two fields to Gardens below which nearly anything may be.
func withFreeFields(text string) string {
	return strings.Replace(text, `"fences": {`, `"free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"at": {"type": "string"}}},
		"rates": {"type": "object", "additionalProperties": {"type": "integer"}}, "port": {"x-kubernetes-int-or-string": true}, "fences": {`, 1)
}

func TestPathsAreCheckedByWhatTheServerDescribes(t *testing.T) {
	s := newServer(t)
	s.text = withFreeFields(s.text)
	all := withoutNetwork(t, s)
	for _, c := range []struct {
		kind  schema.GroupVersionKind
		legal map[string]bool
	}{
		{gardens.WithKind("Garden"), map[string]bool{
			"spec": true, "spec.beds[*].flower": true, "spec.beds[row=1,side=left].flower": true, "spec.beds[*].flowers": false, "spec.bed": false, "status": false,
			`spec.beds[row="1"]`: false, "spec.tools[=rake]": true, "spec.tools[=1]": false, "metadata.finalizers": true, "metadata.generation": true, "metadata.lables": false,
			"spec.free.anything[0].at.all": true, "spec.free.at": true, "spec.free.at.x": false, "spec.rates.a": true, "spec.rates.a.b": false, "spec.port": true, "spec.new": false,
		}},
		{appsv1.SchemeGroupVersion.WithKind("Deployment"), map[string]bool{"spec.replicas": true, "spec.replica": false}},
		{gardens.WithKind("Unheard"), map[string]bool{"spec.anything": true, "metadata.nothing": false}},
		{schema.GroupVersionKind{Group: "other.com", Version: "v1", Kind: "Garden"}, map[string]bool{"spec.anything": true}},
	} {
		meta := &metav1.PartialObjectMetadata{}
		meta.SetGroupVersionKind(c.kind)
		for field, legal := range c.legal {
			for _, example := range []delta.Object{formOf(c.kind), meta} {
				if err := path.Check(example, all, field); (err == nil) != legal {
					t.Errorf("%s: %s: %v, want legal %v", c.kind.Kind, field, err, legal)
				}
			}
		}
	}
	s.wasAsked(t, 4) // once for each kind
	garden := formOf(gardens.WithKind("Garden"))
	var wrong *path.Error
	if err := path.Check(garden, all, "spec.beds[*].flowr"); !errors.As(err, &wrong) || wrong.Meant != "spec.beds[*].flower" || wrong.In != "example.com/v1 Garden" {
		t.Errorf("error is %v", err)
	}
	other := garden.DeepCopy()
	other.SetName("x")
	if d := diff.New(garden, other, all); !d.Touches("spec.bed") || d.Touches("spec.beds") || d.Err() != nil {
		t.Errorf("a path that can't exist is not touched, or one that can is: %s", d)
	}
}

// Tests of operators, and some programs, add their kinds to client-go's scheme.
func TestKindsThatAProgramAddsKeepTheirSchemas(t *testing.T) {
	scheme.Scheme.AddKnownTypes(gardens, &Garden{})
	all := withoutNetwork(t, newServer(t))
	kind := gardens.WithKind("Garden")
	if _, err := all.TypeOf(kind); err != nil {
		t.Error(err)
	}
	if err := path.Check(formOf(kind), all, "spec.bed"); err == nil {
		t.Error("a path that can't exist is not noticed")
	}
	out := newServer(t)
	out.fail = errors.New("out of order")
	if _, err := withoutNetwork(t, out).TypeOf(kind); err == nil || !strings.HasSuffix(err.Error(), "out of order") { // client-go is not asked
		t.Errorf("without the server: %v", err)
	}
}
