package main

import (
	"encoding/json"
	"strings"
	"testing"
)

const all = `
apiVersion: v1
kind: Namespace
metadata: {name: system}
---
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: operator}
---
apiVersion: v1
kind: Service
metadata: {name: webhooks}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: validation}
webhooks:
- name: one
  clientConfig: {service: {name: webhooks, namespace: system, path: /validate-one}}
- name: two
  clientConfig: {service: {name: webhooks, namespace: system, path: /validate-two}}
`

func TestManifestsAreForAnOperatorBesideTheCluster(t *testing.T) {
	adapted, err := adapt(all, "127.0.0.1:1234", []byte("ca"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Kind  string
		Items []struct {
			Kind     string
			Webhooks []struct{ ClientConfig map[string]any }
		}
	}
	if err := json.Unmarshal(adapted, &list); err != nil {
		t.Fatal(err)
	}
	if list.Kind != "List" || len(list.Items) != 2 || list.Items[0].Kind != "Namespace" || list.Items[1].Kind != "ValidatingWebhookConfiguration" {
		t.Fatalf("got %s", adapted)
	}
	for i, url := range []string{"https://127.0.0.1:1234/validate-one", "https://127.0.0.1:1234/validate-two"} {
		if config := list.Items[1].Webhooks[i].ClientConfig; len(config) != 2 || config["url"] != url || config["caBundle"] != "Y2E=" {
			t.Errorf("webhook %d has clientConfig %v, want url %s and its bundle", i, config, url)
		}
	}
}

func TestManifestsThatAreNone(t *testing.T) {
	for name, text := range map[string]string{
		"no YAML":                      "{",
		"webhooks that are not a list": "kind: MutatingWebhookConfiguration\nwebhooks: {}",
		"a webhook that is not a map":  "kind: MutatingWebhookConfiguration\nwebhooks: [1]",
		"a service that is not a map":  "kind: MutatingWebhookConfiguration\nwebhooks: [{clientConfig: {service: x}}]",
		"no clientConfig to be":        "kind: MutatingWebhookConfiguration\nwebhooks: [{clientConfig: x}]",
	} {
		if got, err := adapt(text, "x", nil); err == nil || !strings.Contains(err.Error(), "read manifests") && !strings.Contains(err.Error(), "called on this machine") {
			t.Errorf("%s: got %s and error %v", name, got, err)
		}
	}
}
