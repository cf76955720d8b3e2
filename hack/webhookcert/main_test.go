package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestACertificateStaysWhileItIsGood runs it now, later, and when the certificate has almost
// ended.
func TestACertificateStaysWhileItIsGood(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "deploy")
	made := func(now time.Time) (certificate []byte, leaf *x509.Certificate) {
		t.Helper()
		if err := run(folder, now); err != nil {
			t.Fatal(err)
		}
		pair, err := tls.LoadX509KeyPair(filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key"))
		if err != nil {
			t.Fatal(err)
		}
		certificate, err = os.ReadFile(filepath.Join(folder, "tls.crt"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(folder, "kustomization.yaml"))
		if err != nil || !bytes.Contains(text, []byte(base64.StdEncoding.EncodeToString(certificate))) {
			t.Errorf("the kustomization does not have the certificate (error %v):\n%s", err, text)
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(certificate)
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: service}); err != nil {
			t.Error(err)
		}
		return certificate, pair.Leaf
	}
	first, leaf := made(time.Now())
	if again, _ := made(leaf.NotAfter.Add(-month)); !bytes.Equal(first, again) {
		t.Error("a certificate that is good for a month was replaced")
	}
	if renewed, _ := made(leaf.NotAfter.Add(time.Second - month)); bytes.Equal(first, renewed) {
		t.Error("a certificate that has almost ended was not replaced")
	}
	if err := run(filepath.Join(folder, "tls.crt"), time.Now()); err == nil {
		t.Error("it was written into a file")
	}
}
