package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// makefile is used in place of the repository's Makefile.
const makefile = `
cluster:
	@echo "up to date: etcd"
	@echo "compiled 3 of 4 packages"
broken:
	@echo "it does not compile" >&2; exit 1
`

func inAFolderWithAMakefile(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("Makefile", []byte(makefile), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWhatMakeSaysIsShown(t *testing.T) {
	inAFolderWithAMakefile(t)
	var out bytes.Buffer
	c := &cluster{out: newPrinter(&out, false)}
	if err := c.make(t.Context(), "cluster"); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "   compiled 3 of 4 packages\n"; got != want {
		t.Errorf("it shows %q, want %q", got, want)
	}
	err := c.make(t.Context(), "broken")
	if err == nil || !strings.Contains(err.Error(), "make broken") || !strings.Contains(err.Error(), "it does not compile") {
		t.Errorf("a target that can't be made ends with %v", err)
	}
}
