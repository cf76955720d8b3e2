package main

import (
	"encoding/json"

	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

// adapt changes the manifests of an operator that runs in the cluster, so that it can run
// beside the cluster. The result has no Deployment and no Services, and its webhooks have an
// address of this machine, where the bundle is trusted. It is one JSON list.
func adapt(text, webhooks string, bundle []byte) ([]byte, error) {
	objects, err := manifests.Read([]byte(text))
	if err != nil {
		return nil, err
	}
	var kept []any
	for _, object := range objects {
		switch object.GetKind() {
		case "Deployment", "Service":
			continue
		}
		if err := manifests.CallAt(object, webhooks, bundle); err != nil {
			return nil, err
		}
		kept = append(kept, object.Object)
	}
	return json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": kept})
}
