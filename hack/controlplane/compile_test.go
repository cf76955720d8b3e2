package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTheProgressIsThatOfWhatIsToDo(t *testing.T) {
	todo := map[string]bool{"example.com/big": true, "example.com/small": true}
	var told []string
	said := follow(bufio.NewReader(strings.NewReader("example.com/other\nexample.com/big\n# example.com/big\nexample.com/big\nexample.com/small\nno end")), todo,
		func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) })
	if want := "example.com/other\n# example.com/big\nexample.com/big\nno end"; said != want {
		t.Errorf("it leaves %q, want %q", said, want)
	}
	if want := []string{"packages to compile before the programs are linked: 2", "linking"}; !slices.Equal(told, want) {
		t.Errorf("it told %q, want %q", told, want)
	}
}

func TestWaitingForTheLockIsNotSilent(t *testing.T) {
	waits := writer(make(chan string, 1))
	b := &builder{out: t.TempDir(), progress: log.New(waits, "", 0)}
	unlock, err := b.lock()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-waits
		unlock()
	}()
	second, err := b.lock()
	if err != nil {
		t.Fatal(err)
	}
	second()
}

// writer passes on what is written.
type writer chan string

func (w writer) Write(text []byte) (int, error) {
	w <- string(text)
	return len(text), nil
}

func TestABuildSaysWhatItDoes(t *testing.T) {
	pins, out := tinyPins(t), t.TempDir()
	for _, want := range []string{"are linked: 1\n", "are linked: 0\n"} {
		said, err := buildTiny(t, pins, out)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(said, "building tiny\n") || !strings.Contains(said, want) {
			t.Errorf("it said %q, want %q in it", said, want)
		}
		if err := os.Remove(filepath.Join(out, "tiny")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatIsSharedIsOfOneVersion compares the pins with this repository's go.mod. If both
// have a module in different versions, its packages are compiled twice.
func TestWhatIsSharedIsOfOneVersion(t *testing.T) {
	pinned := requirements(t, "programs")
	shared := 0
	for path, version := range requirements(t, filepath.Join("..", "..")) {
		other, isShared := pinned[path]
		if !isShared {
			continue
		}
		shared++
		if other != version {
			t.Errorf("%s is %s in go.mod and %s in hack/controlplane/programs/go.mod", path, version, other)
		}
	}
	if shared < 30 {
		t.Errorf("%d modules are in both, want some dozens", shared)
	}
}

// requirements returns the modules that a go.mod names, with their versions.
func requirements(t *testing.T, folder string) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json")
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOWORK=off")
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("read %s/go.mod: %v", folder, err)
	}
	type at struct{ Path, Version string }
	var file struct {
		Require []at
		Replace []struct{ Old, New at }
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, r := range file.Require {
		versions[r.Path] = r.Version
	}
	for _, r := range file.Replace {
		if _, required := versions[r.Old.Path]; required {
			versions[r.Old.Path] = r.New.Version
		}
	}
	return versions
}
