package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAPatchThatIsLeftOver is of a project whose change was taken out by other means.
func TestAPatchThatIsLeftOver(t *testing.T) {
	dir := scaffold(t, fakes)
	var out bytes.Buffer
	if err := (&project{dir: dir}).write(contents{patchFile: "diff --git a/x b/x\n"}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{dir}, {"--undo", dir}} {
		if err := run(t.Context(), args, &out, &out); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, &out)
		}
	}
	if got := read(t, dir); !maps.Equal(got, fakes) {
		t.Errorf("afterwards the project has %v", got)
	}
}

// TestUndoBesideWhatCameSince has kubebuilder insert lines at its markers, which stand beside ours, and controllers go.
func TestUndoBesideWhatCameSince(t *testing.T) {
	const marker, crew = "\t// +kubebuilder:scaffold:imports\n", "internal/controller/crew.go"
	files := maps.Clone(fakes)
	files["cmd/main.go"] = strings.Replace(fakes["cmd/main.go"], "\n)\n", "\n"+marker+")\n"+strings.Repeat("\nvar _ = 1\n", 5), 1)
	files[crew] = controllers("first")
	dir := scaffold(t, files)
	var out bytes.Buffer
	if err := run(t.Context(), []string{dir}, &out, &out); err != nil {
		t.Fatal(err)
	}
	const more = "\t_ \"fmt\"\n"
	main := strings.Replace(read(t, dir)["cmd/main.go"], marker, more+marker, 1)
	if err := (&project{dir: dir}).write(contents{"cmd/main.go": main}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, crew)); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := run(t.Context(), []string{"--undo", dir}, &out, &out); err != nil {
		t.Fatal(err)
	}
	delete(files, crew)
	files["cmd/main.go"] = strings.Replace(files["cmd/main.go"], marker, more+marker, 1)
	got := read(t, dir)
	delete(got, "go.sum")
	if strings.TrimSpace(got["go.mod"]) != strings.TrimSpace(files["go.mod"]) {
		t.Errorf("go.mod is %s", got["go.mod"])
	}
	got["go.mod"] = files["go.mod"]
	if !maps.Equal(got, files) {
		t.Errorf("it says %s, and the project has %v", &out, got)
	}
}

// TestWhatIsThereWithoutGoModIsNotAdoptedTwice has go.mod be put back and nothing else.
func TestWhatIsThereWithoutGoModIsNotAdoptedTwice(t *testing.T) {
	dir := scaffold(t, fakes)
	var out bytes.Buffer
	if err := run(t.Context(), []string{dir}, &out, &out); err != nil {
		t.Fatal(err)
	}
	if err := (&project{dir: dir}).write(contents{"go.mod": fakes["go.mod"]}); err != nil {
		t.Fatal(err)
	}
	before := read(t, dir)
	if err := run(t.Context(), []string{dir}, &out, &out); err == nil || !strings.Contains(err.Error(), "cmd/main.go imports ") {
		t.Errorf("the error is %v", err)
	}
	if got := read(t, dir); !maps.Equal(got, before) {
		t.Errorf("afterwards the project has %v", got)
	}
}
