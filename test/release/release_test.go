package release

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// version is that of the release. It is a pre-release, so its notes are what is not released yet.
const version = "v0.0.0-test"

const module = "github.com/delta-runtime/delta-runtime"

// root is this repository.
var root, _ = filepath.Abs("../..")

// place is where a program runs.
type place struct {
	folder string
	env    []string
}

// do runs a program and returns what it prints.
func (p place) do(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = p.folder
	command.Env = append(os.Environ(), p.env...)
	var out, failed bytes.Buffer
	command.Stdout, command.Stderr = &out, &failed
	if err := command.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, &out, &failed)
	}
	return out.String()
}

// tools has make build what a release is made and tried with.
func tools(t *testing.T) {
	t.Helper()
	place{folder: root, env: []string{"MAKEFLAGS=", "MAKELEVEL="}}.do(t, "make", "bin/kustomize", "bin/cyclonedx-gomod", "bin/helm", "bin/krew", "bin/validate-krew-manifest", "bin/k8s/kubectl")
}

// made makes the release in a clone, and returns the clone and the folder with the release.
func made(t *testing.T) (clone, folder string) {
	t.Helper()
	clone = filepath.Join(t.TempDir(), "clone")
	place{folder: root}.do(t, "git", "clone", "--quiet", "--no-tags", root, clone)
	place{folder: root}.do(t, "mkdir", clone+"/bin")
	place{folder: root}.do(t, "cp", "-p", "bin/kustomize", "bin/cyclonedx-gomod", clone+"/bin")
	place{folder: root}.do(t, "touch", clone+"/bin/kustomize", clone+"/bin/cyclonedx-gomod")
	place{folder: clone, env: []string{"MAKEFLAGS=", "MAKELEVEL="}}.do(t, "make", "release", "VERSION="+version)
	return clone, filepath.Join(clone, "artifacts", "release", version)
}

func TestRelease(t *testing.T) {
	tools(t)
	clone, folder := made(t)
	_, again := made(t)
	sums := read(t, folder, "SHA256SUMS")
	if other := read(t, again, "SHA256SUMS"); sums != other {
		t.Errorf("two releases of one commit differ:\n%s\n%s", sums, other)
	}
	place{folder: folder}.do(t, "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS")
	if files, err := os.ReadDir(folder); err != nil || len(files) != strings.Count(sums, "\n")+1 {
		t.Errorf("the release has %d files, and SHA256SUMS knows %d (error %v)", len(files), strings.Count(sums, "\n"), err)
	}
	if notes := read(t, folder, "notes.md"); !strings.HasPrefix(notes, "### Added") || strings.Contains(notes, "\n## ") {
		t.Errorf("the notes are not one section of CHANGELOG.md:\n%.300s", notes)
	}
	t.Run("plugin", func(t *testing.T) { tryPlugin(t, folder) })
	t.Run("modules", func(t *testing.T) { tryModules(t, clone) })
	t.Run("image", func(t *testing.T) { tryImage(t, folder) })
	t.Run("operator", func(t *testing.T) { tryOperator(t, folder) })
	t.Run("refused", func(t *testing.T) { tryRefused(t, clone) })
}

func read(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	must(t, err)
	return string(text)
}

// tryPlugin has krew install the plugin for each platform, and runs the one that is for this machine.
func tryPlugin(t *testing.T, folder string) {
	manifest := filepath.Join(folder, "delta.yaml")
	place{folder: root}.do(t, "bin/validate-krew-manifest", "-skip-install", "-manifest", manifest)
	archives, _ := filepath.Glob(filepath.Join(folder, "kubectl-delta_*.tar.gz"))
	if len(archives) != 5 {
		t.Fatalf("the plugin is there for %q", archives)
	}
	for _, archive := range archives {
		_, platform, _ := strings.Cut(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), "_")
		system, arch, _ := strings.Cut(platform, "_")
		home := t.TempDir()
		at := place{folder: root, env: []string{"KREW_ROOT=" + home, "KREW_OS=" + system, "KREW_ARCH=" + arch, "KREW_NO_UPGRADE_CHECK=1"}}
		at.do(t, "bin/krew", "install", "--manifest", manifest, "--archive", archive)
		if system+"/"+arch == runtime.GOOS+"/"+runtime.GOARCH {
			if said := at.do(t, filepath.Join(home, "bin", "kubectl-delta"), "--version"); !strings.Contains(said, version) {
				t.Errorf("it says that it is %s", said)
			}
		}
		var sbom struct {
			Metadata   struct{ Component struct{ Name string } }
			Components []struct{ Name string }
		}
		must(t, json.Unmarshal([]byte(read(t, folder, "kubectl-delta_"+platform+".cdx.json")), &sbom))
		if sbom.Metadata.Component.Name != module+"/cmd/kubectl-delta" || len(sbom.Components) < 20 {
			t.Errorf("the SBOM for %s is of %s, with %d components", platform, sbom.Metadata.Component.Name, len(sbom.Components))
		}
	}
}

// tryModules has go install and require what is tagged, as if it were published.
func tryModules(t *testing.T, clone string) {
	env := []string{
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + clone + ".insteadOf", "GIT_CONFIG_VALUE_0=https://" + module,
		"GOPRIVATE=" + module, "GOFLAGS=-modcacherw", "GOBIN=" + t.TempDir(),
	}
	for _, program := range []string{"kubectl-delta", "delta-adopt"} {
		place{folder: t.TempDir(), env: env}.do(t, "go", "install", module+"/cmd/"+program+"@"+version)
	}
	user := t.TempDir()
	text := "package main\n\nimport (\n\t_ \"" + module + "/pkg/builder\"\n\t_ \"" + module + "/pkg/manager\"\n\t_ \"" + module + "/tracing\"\n)\n\nfunc main() {}\n"
	must(t, os.WriteFile(filepath.Join(user, "main.go"), []byte(text), 0o600))
	place{folder: user, env: env}.do(t, "go", "mod", "init", "my.domain/operator")
	place{folder: user, env: env}.do(t, "go", "get", module+"@"+version, module+"/tracing@"+version)
	place{folder: user, env: env}.do(t, "go", "mod", "tidy")
	place{folder: user, env: env}.do(t, "go", "build", "-o", os.DevNull, ".")
	if mod := read(t, user, "go.mod"); strings.Contains(mod, "replace") || !strings.Contains(mod, module+"/tracing "+version) {
		t.Errorf("go.mod is\n%s", mod)
	}
}

// tryRefused looks at what a maintainer is told who calls it wrongly.
func tryRefused(t *testing.T, clone string) {
	for _, of := range []struct{ version, change, want string }{
		{"0.1.0", "", "call it with a version such as v0.1.0"},
		{"v9.9.9", "", "CHANGELOG.md has no section [9.9.9]"},
		{version, "echo >> README.md", "there are changes that are not committed"},
		{version, "git -c user.name=a -c user.email=a@b commit -qam later", "the tag " + version + " is there, at another commit"},
	} {
		if of.change != "" {
			place{folder: clone}.do(t, "bash", "-c", of.change)
		}
		command := exec.CommandContext(t.Context(), "hack/release", of.version) //nolint:gosec // ours
		command.Dir = clone
		if out, err := command.CombinedOutput(); err == nil || !strings.Contains(string(out), of.want) {
			t.Errorf("for %s it says %v\n%s, want %s", of.version, err, out, of.want)
		}
	}
}
