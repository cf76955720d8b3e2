package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience turns a program that hangs into a failure.
const patience = 2 * time.Minute

// safeBuffer may be read while it is written to.
type safeBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
	then func(soFar string) // called after each write, if set
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.text.Write(p)
	if s.then != nil {
		s.then(s.text.String())
	}
	return n, err
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func TestNothingTakesLongInSilence(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "echo mine >&2; echo its own >&2; read until_then")
	stop, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	progress := safeBuffer{then: func(soFar string) {
		if strings.Count(soFar, "still there") == 5 {
			fmt.Fprintln(stop)
		}
	}}
	b := &builder{progress: log.New(&progress, "", 0), beat: 20 * time.Millisecond}
	taken := 0
	said, err := b.patiently(cmd, watcher{
		line: func(line string) bool {
			if line == "mine" {
				taken++
				return true
			}
			return false
		},
		report: func() string { return "still there" },
	})
	if err != nil || said != "its own\n" || taken != 1 {
		t.Errorf("it took %d lines and left %q, with error %v", taken, said, err)
	}
	if n := strings.Count(progress.String(), "still there"); n < 5 {
		t.Errorf("it told %d times that it is still there, want every 20 ms", n)
	}
}

func TestWaitingForTheLockIsNotSilent(t *testing.T) {
	var progress safeBuffer
	b := &builder{progress: log.New(&progress, "", 0), beat: 10 * time.Millisecond}
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := b.lock(path)
	if err != nil {
		t.Fatal(err)
	}
	unlock = sync.OnceFunc(unlock)
	progress.then = func(soFar string) {
		if strings.Count(soFar, "still waiting") == 3 {
			unlock()
		}
	}
	defer time.AfterFunc(patience, unlock).Stop()
	second, err := b.lock(path)
	if err != nil {
		t.Fatal(err)
	}
	second()
	if said := progress.String(); strings.Count(said, "still waiting") < 3 {
		t.Errorf("it said %q", said)
	}
}

func TestABuildSaysWhatItDoes(t *testing.T) {
	pins, out := tinyPins(t, tinySource), t.TempDir()
	for _, want := range []string{" to compile", "everything is compiled"} {
		said, err := buildTiny(t, pins, out)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(said, "building tiny: ") || !strings.Contains(said, want) {
			t.Errorf("it said %q, want %q in it", said, want)
		}
		if err := os.Remove(filepath.Join(out, "tiny")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOurOwnProgramsAreBuiltBesideThem uses the module of this program in place of the
// repository's.
func TestOurOwnProgramsAreBuiltBesideThem(t *testing.T) {
	pins, out := tinyPins(t, tinySource), filepath.Join(t.TempDir(), "k8s")
	own := component{name: "program", module: &module{folder: "program"}, pkg: ".", folder: ".."}
	for _, source := range []string{tinySource, strings.ReplaceAll(tinySource, "unstamped", "changed")} {
		write(t, filepath.Join(pins, "program", "main.go"), source)
		b, err := newBuilder(pins, out, log.New(&safeBuffer{}, "", 0))
		if err != nil {
			t.Fatal(err)
		}
		if err := b.all(t.Context(), []component{tiny, own}); err != nil {
			t.Fatal(err)
		}
		if got := runTiny(t, out); got != "v1.2.3" {
			t.Errorf("tiny is %q", got)
		}
		said, err := exec.CommandContext(t.Context(), filepath.Join(out, "..", "program")).CombinedOutput()
		if err != nil || !strings.Contains(source, string(said)) {
			t.Errorf("our own program says %q, with error %v, want what is in its source", said, err)
		}
	}
}

// TestWhatIsSharedIsOfOneVersion compares the pins with this repository's go.mod. If both
// have a module in different versions, its packages are compiled twice.
func TestWhatIsSharedIsOfOneVersion(t *testing.T) {
	pinned := requirements(t, programs.folder)
	shared := 0
	for path, version := range requirements(t, ours.folder) {
		other, isShared := pinned[path]
		if !isShared {
			continue
		}
		shared++
		if other != version {
			t.Errorf("%s is %s in go.mod and %s in hack/controlplane/%s/go.mod", path, version, other, programs.folder)
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

func TestComponentsAreBuiltInTheirOrder(t *testing.T) {
	picked, err := pick([]string{"demo", "kwok", "etcd"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, batch := range batches(picked) {
		got = append(got, strings.ReplaceAll(namesOf(batch), ", ", "+"))
	}
	if want := "etcd+kwok demo"; strings.Join(got, " ") != want {
		t.Errorf("built are %v, want %s", got, want)
	}
}
