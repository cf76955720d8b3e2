package operator

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"
)

// inheritance names the file in which a test that runs itself in a process of its own
// finds the control plane of the first.
const inheritance = "OPERATOR_INHERITS"

// access is what there is to know about an administrator.
type access struct {
	Host          string
	CA, Cert, Key []byte
}

// bequeath writes down how to reach the server, and returns what to put into the
// environment of the other process.
func bequeath(t *testing.T, config *rest.Config) (env string) {
	t.Helper()
	content, err := json.Marshal(access{config.Host, config.CAData, config.CertData, config.KeyData})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "access")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return inheritance + "=" + file
}

// inherited returns what this process was bequeathed, if it was.
func inherited(t *testing.T) *rest.Config {
	t.Helper()
	file := os.Getenv(inheritance)
	if file == "" {
		return nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var a access
	if err := json.Unmarshal(content, &a); err != nil {
		t.Fatal(err)
	}
	return &rest.Config{
		Host: a.Host, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAData: a.CA, CertData: a.Cert, KeyData: a.Key},
	}
}
