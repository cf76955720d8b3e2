package main

import (
	"bytes"
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const source = `package main

import (
	"flag"
	"runtime/debug"
)

func main() {
	flag.Bool("leader-elect", false, "as operators have it")
	flag.Parse()
	info, _ := debug.ReadBuildInfo()
	println(info.String())
}
`

// program writes a module with a program in its folder cmd.
func program(t *testing.T, source string) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/program\n\ngo 1.26.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	addProgram(t, root, "cmd", source)
	return root
}

func addProgram(t *testing.T, root, folder, source string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(root, folder), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, folder, "main.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
}

// build packs the program and returns the archive's file.
func build(t *testing.T, root string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "made", "image.tar")
	var said bytes.Buffer
	if err := run(t.Context(), append([]string{"-root", root, "-package", "./cmd", "-o", file}, args...), &said); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*")); err != nil || len(left) != 1 {
		t.Errorf("beside the archive there is %q: %v", left, err)
	}
	return file
}

var here = "linux/" + runtime.GOARCH

func TestTheProgramInTheImageRuns(t *testing.T) {
	archive := open(t, build(t, program(t, source), "-platforms", here))
	config, manager := archive.image(t, archive.top(t))
	if config.OS != "linux" || config.Architecture != runtime.GOARCH || !config.Created.Equal(epoch) {
		t.Errorf("the image is for %s/%s, made at %s", config.OS, config.Architecture, config.Created)
	}
	if c := config.Config; c.User != "65532:65532" || len(c.Entrypoint) != 1 || c.Entrypoint[0] != "/manager" ||
		c.Cmd != nil || c.Env != nil || c.WorkingDir != "/" {
		t.Errorf("the container is started as %+v", c)
	}
	file := install(t, manager)
	said, err := exec.CommandContext(t.Context(), file, "--help").CombinedOutput()
	if err != nil || !strings.Contains(string(said), "leader-elect") {
		t.Errorf("--help ends with %v and says:\n%s", err, said)
	}
	// The image has nothing else, so the program must start without other files.
	if linked, err := elf.Open(file); err != nil || linked.Section(".interp") != nil {
		t.Errorf("the program needs a dynamic linker: %v", err)
	}
}

func TestNothingOfTheMachineGetsIn(t *testing.T) {
	root := program(t, source)
	archive := open(t, build(t, root, "-platforms", here))
	_, manager := archive.image(t, archive.top(t))
	if bytes.Contains(manager, []byte(root)) {
		t.Errorf("the program knows its folder %s", root)
	}
	said, err := exec.CommandContext(t.Context(), install(t, manager)).CombinedOutput()
	if err != nil || strings.Contains(string(said), "vcs.") || !strings.Contains(string(said), "CGO_ENABLED=0") {
		t.Errorf("it ends with %v and says it was built with:\n%s", err, said)
	}
}

func TestTheSameSourcesGiveTheSameBytes(t *testing.T) {
	first := build(t, program(t, source))
	t.Setenv("GOFLAGS", "-ldflags=-X=main.x=y")
	if second := build(t, program(t, source)); !bytes.Equal(content(t, first), content(t, second)) {
		t.Errorf("%s and %s differ", first, second)
	}
	other := build(t, program(t, strings.Replace(source, "as operators", "not as operators", 1)))
	if open(t, other).top(t).Digest == open(t, first).top(t).Digest {
		t.Error("another program has the same digest")
	}
}

func TestSeveralPlatformsAreOneImage(t *testing.T) {
	archive := open(t, build(t, program(t, source), "-platforms", "linux/arm64,linux/amd64"))
	platforms := archived{must(archive.index.ImageIndex(archive.top(t).Digest))(t)}
	images := platforms.of(t)
	if len(images) != 2 {
		t.Fatalf("the index of platforms has %+v", images)
	}
	machines := map[string]elf.Machine{"arm64": elf.EM_AARCH64, "amd64": elf.EM_X86_64}
	for i, architecture := range []string{"arm64", "amd64"} {
		at := images[i]
		if at.Platform == nil || at.Platform.OS != "linux" || at.Platform.Architecture != architecture {
			t.Fatalf("image %d is for %+v, want linux/%s", i, at.Platform, architecture)
		}
		config, manager := platforms.image(t, at)
		linked := must(elf.NewFile(bytes.NewReader(manager)))(t)
		if config.Architecture != architecture || linked.Machine != machines[architecture] {
			t.Errorf("the image for %s says %s and has a program for %v", architecture, config.Architecture, linked.Machine)
		}
	}
}

func TestTheImageHasItsName(t *testing.T) {
	root := program(t, source)
	for given, want := range map[string]string{
		"controller:v1":               "docker.io/library/controller:v1",
		"controller":                  "docker.io/library/controller:latest",
		"someone/operator:v1":         "docker.io/someone/operator:v1",
		"ghcr.io/some/operator:v1":    "ghcr.io/some/operator:v1",
		"localhost:5000/operator:1.0": "localhost:5000/operator:1.0",
	} {
		archive := open(t, build(t, root, "-platforms", here, "-name", given))
		_, tag, _ := strings.Cut(want[strings.LastIndex(want, "/"):], ":")
		if got := archive.top(t).Annotations; got[fullName] != want || got[tagName] != tag {
			t.Errorf("%s has the names %v, want %s and %s", given, got, want, tag)
		}
	}
}

func TestWhatCannotBePacked(t *testing.T) {
	root := program(t, source)
	addProgram(t, root, "other", source)
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no such package":       {[]string{"-package", "./none"}, "build ./none for linux/"},
		"not a name":            {[]string{"-name", "Operator"}, "read the image's name"},
		"a digest for a name":   {[]string{"-name", "operator@sha256:" + strings.Repeat("0", 64)}, "read the image's name"},
		"not Linux":             {[]string{"-platforms", "windows/amd64"}, "windows/amd64"},
		"no architecture":       {[]string{"-platforms", "linux"}, `"linux"`},
		"no platform":           {[]string{"-platforms", ""}, "read platform"},
		"twice":                 {[]string{"-platforms", here + "," + here}, "named twice"},
		"an argument":           {[]string{"sample-operator"}, "unexpected"},
		"nowhere to put it":     {[]string{"-o", filepath.Join(root, "go.mod", "image.tar")}, "write the archive"},
		"no such architecture":  {[]string{"-platforms", "linux/none"}, "build ./cmd for linux/none"},
		"two programs":          {[]string{"-package", "./..."}, "it is 2 programs"},
		"an unknown flag":       {[]string{"-unknown"}, "read the command line"},
		"a package, no program": {[]string{"-package", "fmt"}, "no main packages"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"-root", root, "-package", "./cmd", "-platforms", here, "-o", filepath.Join(t.TempDir(), "image.tar")}, test.args...)
			err := run(t.Context(), args, io.Discard)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want something about %q", err, test.want)
			}
		})
	}
}
