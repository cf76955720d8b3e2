package manifests_test

import (
	"crypto/tls"
	"crypto/x509"
	"path/filepath"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

const text = `
apiVersion: v1
kind: Namespace
metadata: {name: system}
---
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: validation}
webhooks:
- name: one
  clientConfig: {service: {name: webhooks, namespace: system, path: /validate-one}}
- name: two
  clientConfig: {caBundle: eA==, service: {name: webhooks, namespace: system, path: /validate-two}}
`

func TestWebhooksAreCalledAtAnAddress(t *testing.T) {
	objects, err := manifests.Read([]byte(text))
	if err != nil || len(objects) != 2 {
		t.Fatalf("there are %d objects, error %v", len(objects), err)
	}
	for _, object := range objects {
		if err := manifests.CallAt(object, "127.0.0.1:1234", []byte("ca")); err != nil {
			t.Fatal(err)
		}
	}
	if manifests.HasWebhooks(objects[0]) || len(objects[0].Object) != 3 {
		t.Errorf("what has no webhooks became %v", objects[0].Object)
	}
	hooks := objects[1].Object["webhooks"].([]any)
	for i, want := range []map[string]any{
		{"url": "https://127.0.0.1:1234/validate-one", "caBundle": "Y2E="},
		{"url": "https://127.0.0.1:1234/validate-two", "caBundle": "Y2E="},
	} {
		got := hooks[i].(map[string]any)["clientConfig"].(map[string]any)
		if len(got) != len(want) || got["url"] != want["url"] || got["caBundle"] != want["caBundle"] {
			t.Errorf("webhook %d has clientConfig %v, want %v", i, got, want)
		}
	}
}

// TestCertificatesAreForThisMachine serves with a certificate, and trusts its bundle alone.
func TestCertificatesAreForThisMachine(t *testing.T) {
	folder := t.TempDir()
	bundle, err := manifests.Certify(folder)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(bundle)
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "[127.0.0.1]"}); err != nil {
		t.Error(err)
	}
	if _, err := manifests.Certify(filepath.Join(folder, "none")); err == nil {
		t.Error("it was written into a folder that does not exist")
	}
}

func TestBuildSaysWhatIsMissing(t *testing.T) {
	_, err := manifests.Build(t.Context(), t.TempDir(), "config/default")
	if err == nil || !strings.Contains(err.Error(), "make bin/kustomize") || !strings.Contains(err.Error(), "config/default") {
		t.Errorf("without kustomize: %v", err)
	}
}
