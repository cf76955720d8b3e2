package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// adapt makes of the manifests of an operator that runs in the cluster those of one
// that runs beside it: without its Deployment and Services, and with webhooks that are
// called at an address of this machine. The result is one JSON list.
func adapt(manifests, webhooks string) ([]byte, error) {
	var kept []any
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(manifests), 4096)
	for {
		var content map[string]any
		err := decoder.Decode(&content)
		switch {
		case errors.Is(err, io.EOF):
			return json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": kept})
		case err != nil:
			return nil, fmt.Errorf("read the operator's manifests: %w", err)
		case len(content) == 0: // between two ---
			continue
		}
		object := &unstructured.Unstructured{Object: content}
		keep, err := adaptOne(object, webhooks)
		if err != nil {
			return nil, fmt.Errorf("adapt %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		if keep {
			kept = append(kept, object.Object)
		}
	}
}

func adaptOne(object *unstructured.Unstructured, webhooks string) (keep bool, err error) {
	switch object.GetKind() {
	case "Deployment", "Service":
		return false, nil
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		return true, redirect(object, webhooks)
	default:
		return true, nil
	}
}

// redirect has the webhooks called by URL and not by Service.
func redirect(object *unstructured.Unstructured, to string) error {
	hooks, _, err := unstructured.NestedSlice(object.Object, "webhooks")
	if err != nil {
		return err
	}
	for _, hook := range hooks {
		hook, ok := hook.(map[string]any)
		if !ok {
			return errors.New("a webhook is no object")
		}
		path, _, err := unstructured.NestedString(hook, "clientConfig", "service", "path")
		if err != nil {
			return err
		}
		if err := unstructured.SetNestedField(hook, to+path, "clientConfig", "url"); err != nil {
			return err
		}
		unstructured.RemoveNestedField(hook, "clientConfig", "service")
	}
	return unstructured.SetNestedSlice(object.Object, hooks, "webhooks")
}
