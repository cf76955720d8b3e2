package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
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
		args  []string
		env   map[string]string
		stale time.Duration
		want  string // part of the error; empty if there is none
	}{
		"a namespace by flag":   {args: []string{"--namespace=a"}, stale: time.Minute},
		"a namespace by env":    {env: map[string]string{"POD_NAMESPACE": "a"}, stale: time.Minute},
		"fifteen seconds":       {args: []string{"--namespace=a", "--stale-after=15s"}, stale: 15 * time.Second},
		"any time":              {args: []string{"--namespace=a", "--stale-after=0"}},
		"less than no time":     {args: []string{"--namespace=a", "--stale-after=-1s"}, want: "--stale-after is -1s, and can't be less than 0"},
		"a number of what":      {args: []string{"--namespace=a", "--stale-after=15"}, want: "stale-after"},
		"no namespace":          {want: "find the operator's own namespace"},
		"an unknown flag":       {args: []string{"--none"}, want: "read the flags"},
		"no such configuration": {args: []string{"--namespace=a", "--kubeconfig=/none"}, want: "read how to reach the cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := parsed(t, c.args, c.env)
			switch {
			case c.want != "":
				if !contains(err, c.want) {
					t.Errorf("the error is %v, want %q", err, c.want)
				}
			case err != nil:
				t.Error(err)
			case f.namespace != "a" || f.config.Host != "https://127.0.0.1:1" || !f.webhooks || f.metricsAddress != "0" || !f.metricsSecure || f.staleAfter != c.stale:
				t.Errorf("the flags are %+v", f)
			}
		})
	}
}

// parsed parses flags where the environment has a kubeconfig.
func parsed(t *testing.T, args []string, env map[string]string) (*flags, error) {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := controlplane.WriteKubeconfig(kubeconfig, &rest.Config{Host: "https://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", kubeconfig)
	set := flag.NewFlagSet("test", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return parse(set, args, func(name string) string { return env[name] })
}
