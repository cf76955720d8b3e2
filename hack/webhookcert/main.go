package main

import (
	"crypto/tls"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/util/cert"
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
		made, key, err := cert.GenerateSelfSignedCertKey(service, nil, nil)
		if err != nil {
			return fmt.Errorf("make a certificate: %w", err)
		}
		if err := errors.Join(os.WriteFile(certFile, made, 0o600), os.WriteFile(keyFile, key, 0o600)); err != nil {
			return fmt.Errorf("write the certificate: %w", err)
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
