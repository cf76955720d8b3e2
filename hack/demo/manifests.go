package main

import (
	"encoding/json"

	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

// adapt makes of the manifests of an operator that runs in the cluster those of one
// that runs beside it: without its Deployment and Services, and with webhooks that are
// called at an address of this machine. The result is one JSON list.
func adapt(text, webhooks string) ([]byte, error) {
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
		if err := manifests.CallAt(object, webhooks); err != nil {
			return nil, err
		}
		kept = append(kept, object.Object)
	}
	return json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": kept})
}
