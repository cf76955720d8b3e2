package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
)

// takes returns a check of the number of arguments. It takes their names from the command's Use, and
// an example from the first line of its Example.
func takes(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		wrong := tooMany(c, len(args))
		if len(args) < least {
			wrong = missing(parameters(c)[len(args):])
		}
		if example, _, _ := strings.Cut(c.Example, "\n"); example != "" {
			wrong += "; for example: " + strings.TrimSpace(example)
		}
		return misuse("%s: %s; see %s --help", c.CommandPath(), wrong, c.CommandPath())
	}
}

// parameters are the names of a command's arguments, up to its flags.
func parameters(c *cobra.Command) (names []string) {
	for _, word := range strings.Fields(c.Use)[1:] {
		if strings.HasPrefix(word, "-") {
			break
		}
		names = append(names, word)
	}
	return names
}

func missing(names []string) string {
	if len(names) == 1 {
		return names[0] + " is missing"
	}
	return strings.Join(names, " and ") + " are missing"
}

func tooMany(c *cobra.Command, given int) string {
	wanted, are := strings.Join(parameters(c), " "), "are"
	if wanted == "" {
		wanted = "no arguments"
	}
	if given == 1 {
		are = "is"
	}
	return "it takes " + wanted + ", and " + show.Count(given, "argument") + " " + are + " too many"
}
