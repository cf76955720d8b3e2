package manifests

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/util/cert"
)

// Certify makes a certificate for what is served at 127.0.0.1, and writes it into a folder as
// tls.crt and tls.key. It returns what clients have to trust.
func Certify(folder string) (bundle []byte, err error) {
	bundle, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	for file, content := range map[string][]byte{"tls.crt": bundle, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(folder, file), content, 0o600); err != nil {
			return nil, fmt.Errorf("write a certificate: %w", err)
		}
	}
	return bundle, nil
}

// Build returns the objects of a folder, such as config/default, of the repository at
// root. It takes bin/kustomize.
func Build(ctx context.Context, root, folder string) ([]*unstructured.Unstructured, error) {
	kustomize := exec.CommandContext(ctx, filepath.Join(root, "bin", "kustomize"), "build", filepath.Join(root, folder)) //nolint:gosec // our own
	var complaints bytes.Buffer
	kustomize.Stderr = &complaints
	text, err := kustomize.Output()
	if err != nil {
		return nil, fmt.Errorf("have bin/kustomize, which `make bin/kustomize` builds, make the manifests of %s: %w\n%s", folder, err, &complaints)
	}
	return Read(text)
}

// Read returns the objects of some manifests.
func Read(text []byte) (objects []*unstructured.Unstructured, err error) {
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var content map[string]any
		switch err := documents.Decode(&content); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("read manifests: %w", err)
		case len(content) > 0: // else it is between two ---
			objects = append(objects, &unstructured.Unstructured{Object: content})
		}
	}
}

// HasWebhooks says of an object whether it has the API server call somebody.
func HasWebhooks(object *unstructured.Unstructured) bool {
	return strings.HasSuffix(object.GetKind(), "WebhookConfiguration")
}

// CallAt has webhooks called at an address of this machine and not by their Service. Callers
// trust the bundle of [Certify]. Of an object without webhooks it changes nothing.
func CallAt(object *unstructured.Unstructured, address string, bundle []byte) error {
	if !HasWebhooks(object) {
		return nil
	}
	hooks, _, err := unstructured.NestedSlice(object.Object, "webhooks")
	if err != nil {
		return redirecting(object, err)
	}
	for _, hook := range hooks {
		if err := callAt(hook, "https://"+address, base64.StdEncoding.EncodeToString(bundle)); err != nil {
			return redirecting(object, err)
		}
	}
	return unstructured.SetNestedSlice(object.Object, hooks, "webhooks")
}

func redirecting(object *unstructured.Unstructured, err error) error {
	return fmt.Errorf("have the webhooks of %s %s called on this machine: %w", object.GetKind(), object.GetName(), err)
}

func callAt(hook any, server, bundle string) error {
	fields, ok := hook.(map[string]any)
	if !ok {
		return errors.New("a webhook is not an object")
	}
	path, _, err := unstructured.NestedString(fields, "clientConfig", "service", "path")
	if err != nil {
		return err
	}
	if err := unstructured.SetNestedField(fields, server+path, "clientConfig", "url"); err != nil {
		return err
	}
	unstructured.RemoveNestedField(fields, "clientConfig", "service")
	return unstructured.SetNestedField(fields, bundle, "clientConfig", "caBundle")
}
