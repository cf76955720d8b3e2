package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAPatchThatIsLeftOver is of a project whose change was taken out by other means.
func TestAPatchThatIsLeftOver(t *testing.T) {
	p := newScaffold(t, fakes)
	p.put(patchFile, "diff --git a/x b/x\n")
	p.do()
	p.do("--undo")
	p.has(fakes)
}

// TestUndoBesideWhatCameSince has kubebuilder insert lines at its markers, which stand beside ours, and controllers go.
func TestUndoBesideWhatCameSince(t *testing.T) {
	const marker, crew = "\t// +kubebuilder:scaffold:imports\n", "internal/controller/crew.go"
	files := maps.Clone(fakes)
	files["cmd/main.go"] = strings.Replace(fakes["cmd/main.go"], "\n)\n", "\n"+marker+")\n"+strings.Repeat("\nvar _ = 1\n", 5), 1)
	files[crew] = controllers("first")
	p := newScaffold(t, files)
	p.do()
	const more = "\t_ \"fmt\"\n"
	p.put("cmd/main.go", strings.Replace(p.files()["cmd/main.go"], marker, more+marker, 1))
	if err := os.Remove(filepath.Join(p.dir, crew)); err != nil {
		t.Fatal(err)
	}
	p.do("--undo")
	delete(files, crew)
	files["cmd/main.go"] = strings.Replace(files["cmd/main.go"], marker, more+marker, 1)
	got := p.files()
	delete(got, "go.sum")
	if strings.TrimSpace(got["go.mod"]) != strings.TrimSpace(files["go.mod"]) {
		t.Errorf("go.mod is %s", got["go.mod"])
	}
	got["go.mod"] = files["go.mod"]
	if !maps.Equal(got, files) {
		t.Errorf("it says %s, and the project has %v", p.says, got)
	}
}

// TestWhatIsThereWithoutGoModIsNotAdoptedTwice has go.mod be put back and nothing else.
func TestWhatIsThereWithoutGoModIsNotAdoptedTwice(t *testing.T) {
	p := newScaffold(t, fakes)
	p.do()
	p.put("go.mod", fakes["go.mod"])
	before := p.files()
	if err := p.run(); err == nil || !strings.Contains(err.Error(), "cmd/main.go imports ") {
		t.Errorf("the error is %v", err)
	}
	p.has(before)
}
