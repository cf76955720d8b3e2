// Command webhookcert makes a certificate for the webhooks of the sample operator, for clusters
// without cert-manager. It is what `make deploy` runs.
//
//	webhookcert ──▶ folder: tls.crt, tls.key ──▶ Secret, which the operator's Pods mount
//	                        kustomization.yaml ─▶ config/default, the Secret, and the
//	                                              caBundle of both webhook configurations
//
// A certificate that is still good for a month stays as it is: with another one the API server
// could not call the webhooks until all Pods had it.
//
// # Concurrency
//
// None.
//
// # Testing
//
// The tests make a certificate, and another one when the first has almost ended. The suite of
// the sample operator deploys with it.
package main

import (
	"crypto/tls"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

const (
	service = "sample-operator-webhook-service.sample-operator-system.svc"
	month   = 30 * 24 * time.Hour
)

// kustomization adds the certificate to config/default. %s is what callers have to trust.
const kustomization = `resources: [../../config/default]
generatorOptions: {disableNameSuffixHash: true}
secretGenerator:
- name: webhook-server-cert
  namespace: sample-operator-system
  type: kubernetes.io/tls
  files: [tls.crt, tls.key]
patches:
- target: {group: admissionregistration.k8s.io}
  patch: '[{"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": "%s"}]'
`

func main() {
	folder := flag.String("o", filepath.Join("artifacts", "deploy"), "the `folder` to write into, two levels below the root of the repository")
	flag.Parse()
	if err := run(*folder, time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "webhookcert:", err)
		os.Exit(1)
	}
}

// run writes the kustomization, and a certificate unless there is a good one.
func run(folder string, now time.Time) error {
	certFile, keyFile := filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key")
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("make a folder for the certificate: %w", err)
	}
	if pair, err := tls.LoadX509KeyPair(certFile, keyFile); err != nil || pair.Leaf.NotAfter.Sub(now) < month {
		if _, err := manifests.Certify(folder, service); err != nil {
			return err
		}
	}
	bundle, err := os.ReadFile(certFile) //nolint:gosec // it is ours
	if err != nil {
		return fmt.Errorf("read the certificate: %w", err)
	}
	text := fmt.Sprintf(kustomization, base64.StdEncoding.EncodeToString(bundle))
	if err := os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the kustomization: %w", err)
	}
	return nil
}
