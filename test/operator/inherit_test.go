package operator

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"
)

// inherits names the file in which a test that runs itself in a process of its own
// finds the control plane of the first.
const inherits = "OPERATOR_INHERITS"

// access is what there is to know about somebody who may use the server.
type access struct {
	Host          string
	CA, Cert, Key []byte
	Token         string
}

// bequeath writes down how to reach the server, and returns what to put into the
// environment of the other process.
func bequeath(t *testing.T, config *rest.Config) (env string) {
	t.Helper()
	content, err := json.Marshal(access{config.Host, config.CAData, config.CertData, config.KeyData, config.BearerToken})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "access")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return inherits + "=" + file
}

// inherited returns what this process was bequeathed, if it was.
func inherited(t *testing.T) *rest.Config {
	t.Helper()
	if os.Getenv(inherits) == "" {
		return nil
	}
	config, err := inheritance()
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// inheritance is what this process was bequeathed.
func inheritance() (*rest.Config, error) {
	content, err := os.ReadFile(os.Getenv(inherits))
	if err != nil {
		return nil, err
	}
	var a access
	if err := json.Unmarshal(content, &a); err != nil {
		return nil, err
	}
	return &rest.Config{
		Host: a.Host, QPS: -1, BearerToken: a.Token,
		TLSClientConfig: rest.TLSClientConfig{CAData: a.CA, CertData: a.Cert, KeyData: a.Key},
	}, nil
}
