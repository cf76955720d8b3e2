package main

import (
	"slices"
	"strings"
)

// again is the command line that goes on where one with args has ended: the same, with more flags.
func again(args, flags []string) string {
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	words := []string{"kubectl", "delta"}
	for i, arg := range args[:end] {
		switch {
		case strings.HasPrefix(arg, "--token="):
			words = append(words, "--token=TOKEN") // a terminal's text may be kept for long
		case i > 0 && args[i-1] == "--token":
			words = append(words, "TOKEN")
		default:
			words = append(words, quoted(arg))
		}
	}
	words = append(words, flags...)
	for _, arg := range args[end:] {
		words = append(words, quoted(arg))
	}
	return strings.Join(words, " ")
}

// quoted is how a word is written for a shell.
func quoted(word string) string {
	special := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_./:=,@%+", r)
	}
	if word != "" && strings.IndexFunc(word, special) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
