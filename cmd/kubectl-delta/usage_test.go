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
	for _, c := range commands(root) {
		path := strings.Fields(c.CommandPath())[2:] // without kubectl delta
		wrong := [][]string{append(path, "1", "2", "3", "4")}
		if c.Args(c, nil) != nil {
			wrong = append(wrong, path)
		}
		example, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
		for _, args := range wrong {
			got := runs(t.Context(), args...)
			if got.code != exitUsage || !strings.Contains(got.errOut, c.CommandPath()+": ") || !strings.Contains(got.errOut, c.UseLine()) || !strings.Contains(got.errOut, example) {
				t.Errorf("%q: it ended with %d and said %q", args, got.code, got.errOut)
			}
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
