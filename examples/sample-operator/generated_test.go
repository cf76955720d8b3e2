package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGeneratedFilesAreUpToDate generates all of them in another folder, and compares.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	tool, err := filepath.Abs(filepath.Join(root, "bin", "controller-gen"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	generate := exec.CommandContext(t.Context(), tool, "object", "crd", "rbac:roleName=manager-role", "webhook", "paths=./examples/sample-operator/...",
		"output:dir="+folder)
	generate.Dir = root
	if said, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("bin/controller-gen, which `make bin/controller-gen` builds: %v\n%s", err, said)
	}
	there := map[string]string{
		"zz_generated.deepcopy.go":   "examples/sample-operator/api/v1alpha1/zz_generated.deepcopy.go",
		"web.example.com_sites.yaml": "config/crd/bases/web.example.com_sites.yaml",
		"role.yaml":                  "config/rbac/role.yaml",
		"manifests.yaml":             "config/webhook/manifests.yaml",
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(there) {
		t.Errorf("%d files are generated, want %d", len(entries), len(there))
	}
	for _, entry := range entries {
		want, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(root, there[entry.Name()]))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run `make generate manifests` (error %v)", there[entry.Name()], err)
		}
	}
}

// TestFlags also looks at the defaults.
func TestFlags(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		env  map[string]string
		want string // part of the error; empty if there is none
	}{
		"a namespace by flag":   {args: []string{"--namespace=a"}},
		"a namespace by env":    {env: map[string]string{"POD_NAMESPACE": "a"}},
		"no namespace":          {want: "find the operator's own namespace"},
		"an unknown flag":       {args: []string{"--none"}, want: "read the flags"},
		"no such configuration": {args: []string{"--namespace=a", "--kubeconfig=/none"}, want: "read how to reach the cluster"},
	} {
		t.Run(name, func(t *testing.T) { checkFlags(t, c.args, c.env, c.want) })
	}
}

func checkFlags(t *testing.T, args []string, env map[string]string, want string) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "kubeconfig")
	content := `{"apiVersion":"v1","kind":"Config","clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:1"}}],` +
		`"contexts":[{"name":"x","context":{"cluster":"c"}}],"current-context":"x"}`
	if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", config)
	f, err := parse(flag.NewFlagSet("test", flag.ContinueOnError), args, func(name string) string { return env[name] })
	switch {
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("the error is %v, want %q", err, want)
	case want == "" && err != nil:
		t.Error(err)
	case want == "" && (f.namespace != "a" || f.config.Host != "https://127.0.0.1:1" || !f.webhooks || f.metricsAddress != "0" || !f.metricsSecure):
		t.Errorf("the flags are %+v", f)
	}
}
