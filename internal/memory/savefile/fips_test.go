package savefile

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// fipsVariable has the test binary be TestWhereOnlyFIPSMayBeUsed's process.
const fipsVariable = "SAVEFILE_FIPS"

// saveOnce writes one file, and returns what went wrong.
func saveOnce(path string) error {
	d, err := Open(path, Options{})
	if err != nil {
		return err
	}
	w, err := d.Create("things.v1", []byte("head"))
	if err != nil {
		return err
	}
	return w.Finish()
}

// TestWhereOnlyFIPSMayBeUsed runs a process that may use nothing but FIPS 140, where there is no seal. It gets an error.
func TestWhereOnlyFIPSMayBeUsed(t *testing.T) {
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), fipsVariable+"="+t.TempDir(), "GODEBUG=fips140=only")
	output, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "saved: create ") || !strings.Contains(string(output), ": make a seal: ") {
		t.Errorf("the process ended with %v and said %s", err, output)
	}
}

func sayWhetherItSaves(path string) { fmt.Fprintln(os.Stderr, "saved:", saveOnce(path)) }
