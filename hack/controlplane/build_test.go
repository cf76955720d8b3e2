package main

import (
	"bytes"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// tiny is a component that needs no network and takes half a second to build.
var tiny = component{name: "tiny", made: "program", pin: "example.com/program", pkg: "example.com/program"}

const tinySource = `package main

var version = "unstamped"

func main() { print(version) }
`

// tinyPins writes a folder of pins with the module and the source of tiny.
func tinyPins(t *testing.T) string {
	t.Helper()
	pins := t.TempDir()
	for name, content := range map[string]string{
		"program/go.mod":  "module example.com/program\n\ngo 1.26.0\n",
		"program/main.go": tinySource,
		"tiny/go.sum":     "",
	} {
		write(t, filepath.Join(pins, name), content)
	}
	pinTiny(t, pins, "v1.2.3")
	return pins
}

func pinTiny(t *testing.T, pins, version string) {
	t.Helper()
	write(t, filepath.Join(pins, "tiny", "go.mod"), "module example.com/tiny\n\ngo 1.26.0\n\n"+
		"tool example.com/program\n\nrequire example.com/program "+version+" // indirect\n\n"+
		"replace example.com/program => ../program\n")
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// buildTiny builds tiny and returns what the builder said about it.
func buildTiny(t *testing.T, folder, out string) (string, error) {
	t.Helper()
	var progress bytes.Buffer
	b := &builder{module: filepath.Join(folder, "tiny"), out: out, progress: log.New(&progress, "", 0)}
	b.link = func(p pins) string { return "-X main.version=" + p.version(tiny.pin) }
	err := b.all(t.Context(), []component{tiny})
	return progress.String(), err
}

func runTiny(t *testing.T, out string) string {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), filepath.Join(out, "tiny")).CombinedOutput()
	if err != nil {
		t.Fatalf("run what was built: %v\n%s", err, said)
	}
	return string(said)
}

func TestBuildsAgainOnlyWhenPinsChange(t *testing.T) {
	pins, out := tinyPins(t), t.TempDir()
	for _, step := range []struct {
		name      string
		before    func()
		says      string
		isVersion string
	}{
		{"first", func() {}, "built in", "v1.2.3"},
		{"again", func() {}, "up to date", "v1.2.3"},
		{"other version", func() { pinTiny(t, pins, "v1.2.4") }, "built in", "v1.2.4"},
		{"other sums", func() { write(t, filepath.Join(pins, "tiny", "go.sum"), "\n") }, "built in", "v1.2.4"},
		{"binary gone", func() { _ = os.Remove(filepath.Join(out, "tiny")) }, "built in", "v1.2.4"},
		{"killed before the stamp", func() { _ = os.Remove(filepath.Join(out, ".tiny.stamp")) }, "built in", "v1.2.4"},
		{"at last", func() {}, "up to date", "v1.2.4"},
	} {
		step.before()
		said, err := buildTiny(t, pins, out)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if !strings.Contains(said, step.says) {
			t.Errorf("%s: said %q, want %q", step.name, said, step.says)
		}
		if got := runTiny(t, out); got != step.isVersion {
			t.Errorf("%s: the binary is %s, want %s", step.name, got, step.isVersion)
		}
	}
}

func TestFailedBuildLeavesTheOldBinaryAndSaysWhy(t *testing.T) {
	pins, out := tinyPins(t), t.TempDir()
	if _, err := buildTiny(t, pins, out); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(pins, "program", "main.go"), "package main\n\nfunc main() { gone() }\n")
	pinTiny(t, pins, "v2.0.0+incompatible")
	_, err := buildTiny(t, pins, out)
	if err == nil || !strings.Contains(err.Error(), "undefined: gone") {
		t.Errorf("got error %v, want the compiler's words", err)
	}
	if got := runTiny(t, out); got != "v1.2.3" {
		t.Errorf("the old binary is %s now", got)
	}
	if left, _ := filepath.Glob(filepath.Join(out, ".unfinished-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTwoAtOnceBuildOnce(t *testing.T) {
	pins, out := tinyPins(t), t.TempDir()
	said, errs := make([]string, 4), make([]error, 4)
	var all sync.WaitGroup
	for i := range said {
		all.Go(func() { said[i], errs[i] = buildTiny(t, pins, out) })
	}
	all.Wait()
	built := 0
	for i := range said {
		if errs[i] != nil {
			t.Error(errs[i])
		}
		if strings.Contains(said[i], "built in") {
			built++
		}
	}
	if built != 1 {
		t.Errorf("%d of them built, want 1; they said %q", built, said)
	}
}

func TestKubebuilderAssetsWins(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", "/some/folder")
	var progress bytes.Buffer
	if err := run(t.Context(), []string{"kubectl"}, log.New(&progress, "", 0)); err != nil {
		t.Fatal(err)
	}
	if said := progress.String(); !strings.Contains(said, "KUBEBUILDER_ASSETS=/some/folder, so not building kubectl") {
		t.Errorf("said %q", said)
	}
}

func TestUnknownComponentIsRefusedByName(t *testing.T) {
	_, err := pick([]string{"etcd", "kubelet"})
	if err == nil || !strings.Contains(err.Error(), `"kubelet"`) || !strings.Contains(err.Error(), "kube-scheduler") {
		t.Errorf("got error %v, want one that names it and what there is", err)
	}
}

func TestKubernetesStamp(t *testing.T) {
	want := "-X k8s.io/component-base/version.gitVersion=v1.37.0 " +
		"-X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=37"
	if got := stampKubernetes("v1.37.0"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
