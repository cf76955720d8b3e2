package manifests

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Definition is the CRD of a kind with namespaces. The OpenAPI schema is that of its objects. The plural ends in s.
func Definition(of schema.GroupVersionKind, openAPI map[string]any) *unstructured.Unstructured {
	singular := strings.ToLower(of.Kind)
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": singular + "s." + of.Group},
		"spec": map[string]any{
			"group": of.Group, "scope": "Namespaced",
			"names": map[string]any{"kind": of.Kind, "listKind": of.Kind + "List", "plural": singular + "s", "singular": singular},
			"versions": []any{map[string]any{
				"name": of.Version, "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": openAPI},
			}},
		},
	}}
}

// Anything is the schema of objects that may have any field.
func Anything() map[string]any {
	return map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
}

// Spec is the schema of objects whose spec has these fields.
func Spec(fields map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object", "properties": fields}}}
}
