package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// commands are all that the program has, without those that cobra adds.
func commands(from *cobra.Command) (all []*cobra.Command) {
	for _, c := range from.Commands() {
		all = append(append(all, c), commands(c)...)
	}
	return all
}

// TestWrongNumbersOfArgumentsAreExplained gives each command no arguments, and then too many.
func TestWrongNumbersOfArgumentsAreExplained(t *testing.T) {
	root := newProgram(&bytes.Buffer{}, &bytes.Buffer{}, func(string) string { return "" }).root()
	needing := 0
	for _, c := range commands(root) {
		path := strings.Fields(c.CommandPath())[2:] // without kubectl delta
		if c.Args(c, nil) != nil {
			needing++
			first, _, _ := strings.Cut(c.Example, "\n")
			example := "; for example: " + strings.TrimSpace(first) + "; see " + c.CommandPath() + " --help\n"
			got := runs(t.Context(), path...)
			word := strings.Fields(c.Use)[1]
			if first == "" || got.code != exitUsage || !strings.Contains(got.errOut, c.CommandPath()+": "+word+" ") || !strings.HasSuffix(got.errOut, " missing"+example) {
				t.Errorf("%s: it ended with %d and said %q, want that %s is missing and %q", c.CommandPath(), got.code, got.errOut, word, example)
			}
		}
		got := runs(t.Context(), append(path, "1", "2", "3", "4")...)
		if got.code != exitUsage || !strings.Contains(got.errOut, c.CommandPath()+": ") || !strings.Contains(got.errOut, "4 arguments are ") {
			t.Errorf("%s with too many: it ended with %d and said %q", c.CommandPath(), got.code, got.errOut)
		}
	}
	if needing != 9 {
		t.Errorf("%d commands need arguments, want 9", needing)
	}
}

func TestMissingArgumentsAreNamed(t *testing.T) {
	for want, args := range map[string][]string{
		"kubectl delta memory: KIND is missing; for example: kubectl delta memory deployment;":                         {"memory"},
		"kubectl delta cancel: CONTROLLER and NAMESPACE/NAME are missing; for example: kubectl delta cancel":           {"cancel"},
		"kubectl delta forget: NAMESPACE/NAME is missing; for example: kubectl delta forget site demo/blog;":           {"forget", "site"},
		"kubectl delta policies set: KIND is missing; for example: kubectl delta policies set deployment --period 10m": {"policies", "set"},
		"kubectl delta relist: it takes KIND, and 2 arguments are too many; for example: kubectl delta relist secret;": {"relist", "a", "b"},
		"kubectl delta queue: it takes [CONTROLLER], and 2 arguments are too many; see":                                {"queue", "a", "b"},
		"kubectl delta status: it takes no arguments, and 1 argument is too many; see":                                 {"status", "a"},
	} {
		if got := runs(t.Context(), args...); !strings.Contains(got.errOut, want) {
			t.Errorf("%q: it said %q, want %q", args, got.errOut, want)
		}
	}
}

// TestTheHelpSaysHowAnOperatorIsFound is for those who have nothing to label, and those without a Pod.
func TestTheHelpSaysHowAnOperatorIsFound(t *testing.T) {
	got := runs(t.Context(), "--help")
	intro, _, _ := strings.Cut(got.out, "\nUsage:")
	intro = strings.Join(strings.Fields(intro), " ")
	for _, want := range []string{
		"by the label delta-runtime.dev/inspector=true, or by control-plane=controller-manager, which kubebuilder gives them",
		"An operator that runs as a process, outside of a cluster, is reached with --url",
	} {
		if !strings.Contains(intro, want) {
			t.Errorf("the help begins with\n%s\nwant %q", intro, want)
		}
	}
}
