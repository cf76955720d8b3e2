package realtime

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEachPackageIsInOneTarget fails if a package is in two targets, or in none.
func TestEachPackageIsInOneTarget(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	all := lines(t, root, "go", "list", "./...")
	gate, suites := lines(t, root, "hack/packages", "test"), lines(t, root, "hack/packages", "realtime")
	count := map[string]int{}
	for _, name := range append(gate, suites...) {
		count[name]++
	}
	for _, name := range all {
		if count[name] != 1 {
			t.Errorf("%s is in %d targets, want one", name, count[name])
		}
	}
	for _, suite := range []string{"e2e", "operator", "sampleoperator", "canary", "docs/adopt", "docs/commands"} {
		if name := "github.com/delta-runtime/delta-runtime/test/" + suite; !strings.Contains(strings.Join(suites, " ")+" ", name+" ") {
			t.Errorf("make test-all does not run %s as a suite: it has %v", name, suites)
		}
	}
}

// lines runs a command in a folder and returns the lines that it prints.
func lines(t *testing.T, folder, program string, args ...string) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = folder
	var complaints strings.Builder
	command.Stderr = &complaints
	said, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, complaints.String())
	}
	return strings.Fields(string(said))
}
