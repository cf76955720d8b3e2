package operator

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"
)

// A test may start itself again in another process. inherits is the variable that names a
// file for that process. The file says how to reach the control plane of the first process.
const inherits = "OPERATOR_INHERITS"

// access is all that a client needs to use the server.
type access struct {
	Host          string
	CA, Cert, Key []byte
	Token         string
}

// bequeath writes the file for the other process, and returns the variable for its
// environment.
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

// inherited returns the configuration from the first process, or nil in the first process.
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

// inheritance reads the file from the first process.
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
