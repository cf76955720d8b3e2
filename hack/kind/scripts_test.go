package kind

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// world is a copy of the scripts in a folder that they take for the repository. It also has
// the programs that the scripts find.
type world struct {
	root, path string
}

// newWorld returns a world that has only the programs of every system on its path.
func newWorld(t *testing.T) world {
	t.Helper()
	root := t.TempDir()
	w := world{root: root, path: filepath.Join(root, "path")}
	for _, file := range []string{"settings.sh", "up.sh", "e2e.sh", "down.sh", "cluster.yaml"} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, "hack", "kind", file), string(content))
	}
	for _, tool := range []string{"bash", "env", "dirname", "mkdir", "grep", "rm"} {
		found, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(w.path, tool), "#!/bin/sh\nexec "+found+` "$@"`+"\n")
	}
	return w
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

// fake puts a program on the path. It notes its arguments, and then runs the script.
func (w world) fake(t *testing.T, name, script string) {
	t.Helper()
	write(t, filepath.Join(w.path, name), "#!/usr/bin/env bash\necho \""+name+" $*\" >>\""+w.root+"/calls\"\n"+script+"\n")
}

// run starts a script with additional variables in its environment, and returns its output.
func (w world) run(t *testing.T, script string, environment ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(w.root, "hack", "kind", script))
	command.Dir = t.TempDir() // the script has to work from any folder
	command.Env = append([]string{"PATH=" + w.path, "HOME=" + w.root}, environment...)
	said, err := command.CombinedOutput()
	return string(said), err
}

// calls returns the calls of the fakes, in their order.
func (w world) calls(t *testing.T) []string {
	t.Helper()
	noted, err := os.ReadFile(filepath.Join(w.root, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(string(noted), w.root, "ROOT")), "\n")
}

// realKind builds the pinned kind.
func realKind(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kind")
	if said, err := exec.CommandContext(t.Context(), "go", "build", "-o", file, "sigs.k8s.io/kind").CombinedOutput(); err != nil {
		t.Fatalf("build kind: %v\n%s", err, said)
	}
	return file
}

func TestWithoutAnEngineNothingIsDone(t *testing.T) {
	const silent = `echo "is it running?" >&2; exit 1`
	for name, test := range map[string]struct {
		engines     map[string]string
		environment string
		want        string
	}{
		"none": {want: "docker is not installed; podman is not installed"},
		"one that does not answer": {
			engines: map[string]string{"docker": silent},
			want:    "docker is installed but does not answer ('docker ps' says why); podman is not installed",
		},
		"only another than the named one": {
			engines: map[string]string{"docker": ""}, environment: "KIND_EXPERIMENTAL_PROVIDER=nerdctl",
			want: "nerdctl is not installed",
		},
	} {
		for _, script := range []string{"up.sh", "e2e.sh", "down.sh"} {
			t.Run(name+"/"+script, func(t *testing.T) {
				w := newWorld(t)
				for engine, does := range test.engines {
					w.fake(t, engine, does)
				}
				said, err := w.run(t, script, test.environment)
				// There is no make on the path. If the script had called it, there would be a second
				// message.
				if want := "kind: this takes a container engine; " + test.want + "\n"; err == nil || said != want {
					t.Errorf("it ends with %v and says %q, want %q", err, said, want)
				}
			})
		}
	}
}

// provider says which engine the scripts told kind to use.
const provider = `echo "by $KIND_EXPERIMENTAL_PROVIDER with $KUBECONFIG" >>"` + `$HOME/calls"` + "\n"

// TestWhatTheScriptsCall compares the calls of programs with what they are meant to be.
func TestWhatTheScriptsCall(t *testing.T) {
	for script, test := range map[string]struct {
		fakes map[string]string
		want  string
	}{
		"up.sh": {
			map[string]string{
				"docker": "exit 1", "podman": "", "make": "", "kubectl": "", "go": "echo amd64",
				"kind": `if [ "$1" = create ]; then ` + provider + ` fi; if [ "$1" = get ]; then echo delta-runtime-2; fi`,
			}, `docker ps --quiet
podman ps --quiet
make bin/kind
kind get clusters
kind create cluster --name delta-runtime --config hack/kind/cluster.yaml --kubeconfig ROOT/artifacts/kind.kubeconfig --wait 3m
by podman with ROOT/artifacts/kind.kubeconfig
kind export kubeconfig --name delta-runtime --kubeconfig ROOT/artifacts/kind.kubeconfig
go env GOHOSTARCH
make image PLATFORMS=linux/amd64
kind load image-archive artifacts/sample-operator.tar --name delta-runtime
make deploy
kubectl rollout restart --namespace sample-operator-system deployment/sample-operator-controller-manager
kubectl rollout status --timeout 3m --namespace sample-operator-system deployment/sample-operator-controller-manager`,
		},
		"e2e.sh": {
			map[string]string{
				"docker": "", "make": "", "go": `echo "on ${E2E_KUBECONFIG}" >>"$HOME/calls"`, "kind": `if [ "$1" = get ]; then echo delta-runtime; fi`,
			}, `docker ps --quiet
make bin/kind
kind get clusters
kind export kubeconfig --name delta-runtime --kubeconfig ROOT/artifacts/kind.kubeconfig
go test -count=1 -v -timeout 20m -run ^TestSitesSurvive$ ./test/sampleoperator
on ROOT/artifacts/kind.kubeconfig`,
		},
		"down.sh": {
			map[string]string{"docker": "", "make": "", "kind": ""}, `docker ps --quiet
make bin/kind
kind delete cluster --name delta-runtime --kubeconfig ROOT/artifacts/kind.kubeconfig`,
		},
	} {
		t.Run(script, func(t *testing.T) {
			w := newWorld(t)
			for program, does := range test.fakes {
				w.fake(t, program, does)
			}
			config := filepath.Join(w.root, "artifacts", "kind.kubeconfig")
			write(t, config, "")
			if said, err := w.run(t, script, "KIND=kind"); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			if calls := strings.Join(w.calls(t), "\n"); calls != test.want {
				t.Errorf("the calls are\n%s\nwant\n%s", calls, test.want)
			}
			if _, err := os.Stat(config); os.IsNotExist(err) != (script == "down.sh") {
				t.Errorf("the kubeconfig: %v", err)
			}
		})
	}
}

func TestUpKeepsTheClusterThatIsThere(t *testing.T) {
	w := newWorld(t)
	for _, program := range []string{"docker", "make", "kubectl", "go"} {
		w.fake(t, program, "")
	}
	w.fake(t, "kind", `if [ "$1" = get ]; then echo mine; fi`)
	said, err := w.run(t, "up.sh", "KIND=kind", "CLUSTER=mine")
	if all := strings.Join(w.calls(t), "\n"); err != nil || strings.Contains(all, "create") || !strings.Contains(all, "make deploy") {
		t.Errorf("it ends with %v, says %q and called\n%s", err, said, all)
	}
}

func TestE2ENeedsACluster(t *testing.T) {
	w := newWorld(t)
	w.fake(t, "docker", "")
	w.fake(t, "make", "")
	w.fake(t, "kind", `if [ "$1" = get ]; then echo delta-runtime; fi`)
	said, err := w.run(t, "e2e.sh", "KIND=kind", "CLUSTER=other")
	if want := "kind: there is no cluster other: make kind-up makes it\n"; err == nil || said != want {
		t.Errorf("without a cluster it ends with %v and says %q, want %q", err, said, want)
	}
}

// docker answers kind's questions up to the start of the first node, and starts no node.
const docker = `case "$1" in
-v) echo "Docker version 29.0.0, build 0" ;;
info) echo '{"CgroupDriver":"systemd","CgroupVersion":"2","MemoryLimit":true,"PidsLimit":true,"CPUShares":true,"SecurityOptions":[]}' ;;
network) echo ;;
run) echo "this engine starts nothing" >&2; exit 1 ;;
esac`

// The pinned kind accepts the scripts' arguments, as far as a test without an engine can see:
// it asks for one node, with the right image.
func TestKindTakesWhatItIsGiven(t *testing.T) {
	kind := realKind(t)
	for name, test := range map[string]struct {
		environment string
		image       string
	}{
		"kind's own image":      {image: `kindest/node:v1\.[0-9]+\.[0-9]+@sha256:[0-9a-f]{64}`},
		"an image that we name": {environment: "NODE_IMAGE=example.com/node:v1.36.2", image: `example\.com/node:v1\.36\.2`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.fake(t, "make", "")
			w.fake(t, "docker", docker)
			said, err := w.run(t, "up.sh", "KIND="+kind, test.environment)
			if err == nil || !strings.Contains(said, "this engine starts nothing") {
				t.Fatalf("it ends with %v and says:\n%s", err, said)
			}
			var nodes []string
			for _, call := range w.calls(t) {
				if strings.HasPrefix(call, "docker run ") {
					nodes = append(nodes, call)
				}
			}
			want := regexp.MustCompile(`^docker run --name delta-runtime-control-plane .* ` + test.image + `$`)
			if len(nodes) != 1 || !want.MatchString(nodes[0]) {
				t.Errorf("kind starts %q, want one that matches %s", nodes, want)
			}
		})
	}
}
