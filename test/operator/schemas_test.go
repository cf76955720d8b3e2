package operator

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	drpath "github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/internal/schema/schemas"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// plots is a kind with a list of each sort.
var plots = kind{schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Plot"}, nil, nil}

// plotDefinition is the CRD of plots.
func plotDefinition() *unstructured.Unstructured {
	texts := map[string]any{"type": "string"}
	return manifests.Definition(plots.GroupVersionKind, manifests.Spec(map[string]any{
		"tools":  map[string]any{"type": "array", "items": texts, "x-kubernetes-list-type": "set"},
		"fences": map[string]any{"type": "array", "items": texts},
		"wild":   manifests.Anything(),
		"beds": map[string]any{
			"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"row"},
			"items": map[string]any{"type": "object", "required": []any{"row"}, "properties": map[string]any{"row": texts, "flower": texts}},
		},
	}))
}

// schemasOf waits until the server publishes the schema of plots, and returns its schemas.
func schemasOf(t *testing.T, config *rest.Config, obj client.Object) *schemas.Kinds {
	t.Helper()
	connections := controlplane.HTTPClientForTest(t, config)
	var kinds *schemas.Kinds
	var err error
	await.Until(t, "the server to publish the schema of plots", func() bool {
		// An error is remembered for a minute, so each attempt has new schemas.
		if kinds, err = schemas.New(config, connections, newScheme()); err != nil {
			t.Fatal(err)
		}
		_, err = kinds.ObjectToTyped(obj)
		return err == nil
	})
	return kinds
}

func TestDiffsKnowTheServersSchemas(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	if err := api.Create(t.Context(), plotDefinition()); err != nil {
		t.Fatal(err)
	}
	defer undefine(t, api, plots)
	plot := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"tools": []any{"rake", "spade"}, "fences": []any{"n", "s"},
		"beds": []any{map[string]any{"row": "1", "flower": "rose"}, map[string]any{"row": "2", "flower": "lily"}},
	}}}
	plot.SetGroupVersionKind(plots.GroupVersionKind)
	plot.SetNamespace("default")
	plot.SetName("mine")
	plot.SetFinalizers([]string{"example.com/a", "example.com/b"})
	await.Until(t, "the server to serve plots", func() bool { return api.Create(t.Context(), plot) == nil })
	defer release(t, api, plot.DeepCopy())
	kinds := schemasOf(t, config, plot)

	for path, legal := range map[string]bool{
		"spec.beds[row=a].flower": true, "spec.beds[*].flowers": false, "spec.bed": false, "status": false, "spec.tools[=x]": true, "spec.fences[0]": true,
		"spec.wild.anything[0].grows": true, "metadata.ownerReferences[*].controller": true, "metadata.generation": true, "metadata.finalizer": false,
	} {
		if err := drpath.Check(plot, kinds, path); (err == nil) != legal {
			t.Errorf("%s: %v, want legal %v", path, err, legal)
		}
	}

	before := plot.DeepCopy()
	plot.SetFinalizers([]string{"example.com/b"})
	plot.Object["spec"] = map[string]any{
		"tools": []any{"spade", "hose", "rake"}, "fences": []any{"s", "n"},
		"beds": []any{map[string]any{"row": "2", "flower": "tulip"}, map[string]any{"row": "1", "flower": "rose"}},
	}
	if err := api.Update(t.Context(), plot); err != nil {
		t.Fatal(err)
	}
	d := diff.New(before, plot, kinds)
	const want = `spec.beds[row="2"].flower: "lily" → "tulip", spec.fences: ["n","s"] → ["s","n"], +spec.tools[="hose"], ` +
		`-metadata.finalizers[="example.com/a"], metadata.generation: 1 → 2`
	if got := d.String(); got != want || d.Err() != nil {
		t.Errorf("got  %s (error %v)\nwant %s", got, d.Err(), want)
	}
}

// release removes an object's finalizers, so that it can be deleted with its kind.
func release(t *testing.T, api client.Client, obj client.Object) {
	t.Helper()
	if err := api.Patch(t.Context(), obj, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))); err != nil {
		t.Error(err)
	}
}
