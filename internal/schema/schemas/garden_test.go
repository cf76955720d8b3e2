package schemas_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// gardenDefinition is a CRD with what kinds of Kubernetes lack: types within types within types, fields
// that may be anything, whole objects within objects, and keys with defaults.
const gardenDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gardens.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gardens, singular: garden, kind: Garden, listKind: GardenList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    schema:
      openAPIV3Schema:
        description: what grows
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, format: int32, default: 1, minimum: 0}
              opened: {type: string, format: date-time, nullable: true}
              port: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
              selector: {type: object, x-kubernetes-map-type: atomic, properties: {app: {type: string}}}
              rates: {type: object, additionalProperties: {type: number}}
              wild: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: object, properties: {a: {type: string}}}}}
              loose: {x-kubernetes-preserve-unknown-fields: true}
              template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
              tools: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              fences: {type: array, items: {type: string}}
              grid: {type: array, items: {type: array, items: {type: integer}}}
              beds:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [row, side]
                items:
                  type: object
                  required: [row]
                  properties:
                    row: {type: integer}
                    side: {type: string, default: left, enum: [left, right]}
                    plants:
                      type: array
                      x-kubernetes-list-type: map
                      x-kubernetes-list-map-keys: [name]
                      items:
                        type: object
                        required: [name]
                        properties: {name: {type: string}, height: {type: number}, notes: {type: object, additionalProperties: {type: string}}}
          status:
            type: object
            properties:
              size: {type: integer}
              conditions: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type], items: {type: object, required: [type], properties: {type: {type: string}, status: {type: string}}}}
`

// readObject reads an object.
func readObject(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal([]byte(text), &obj.Object))
	return obj
}

// defineGarden has the server serve gardens, and knows the documents that it has then.
func defineGarden(t testing.TB, s *apiServer) client.Client {
	t.Helper()
	api, err := client.New(s.config, client.Options{HTTPClient: s.client})
	must(t, err)
	definition := readObject(t, gardenDefinition)
	must(t, client.IgnoreAlreadyExists(api.Create(t.Context(), definition)))
	await.Until(t, "the server to describe gardens", func() bool {
		return strings.Contains(s.get(t, "/openapi/v3"), gardens.String())
	})
	s.documents[gardens] = s.get(t, "/openapi/v3/apis/"+gardens.String())
	return api
}

// TestARealServerDescribesWhatWasAdded updates a CRD.
func TestARealServerDescribesWhatWasAdded(t *testing.T) {
	s := realServer(t)
	api := defineGarden(t, s)
	definition := readObject(t, gardenDefinition)
	must(t, api.Get(t.Context(), client.ObjectKeyFromObject(definition), definition))
	field := "hose" + definition.GetResourceVersion() // which is another one if the test runs twice
	known := func() bool {
		return path.Check(formOf(gardens.WithKind("Garden")), schemasOf(t, s.config, s.client), "spec."+field) == nil
	}
	if known() {
		t.Error("a field is known that is not there")
	}
	added := fmt.Sprintf(`[{"op": "add", "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/%s", "value": {"type": "integer"}}]`, field)
	must(t, api.Patch(t.Context(), definition, client.RawPatch(types.JSONPatchType, []byte(added))))
	await.Until(t, "the server to describe the new field", known)
}
