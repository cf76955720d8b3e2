package main

import (
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// showsTheStory checks the chapters. A chapter goes from its title to the next one, and has
// to show what its clues are about.
func showsTheStory(t *testing.T, rest string) {
	t.Helper()
	for _, chapter := range story {
		_, after, found := strings.Cut(rest, "── "+chapter.title+"\n")
		if !found {
			t.Fatalf("chapter %q is missing, or in the wrong place", chapter.title)
		}
		told, _, _ := strings.Cut(after, "\n── ")
		rest = after
		for _, clue := range chapter.clues {
			for _, text := range []string{clue.object, clue.change, clue.path, clue.wrote} {
				if !strings.Contains(told, text) {
					t.Errorf("%q does not show %q:\n%s", chapter.title, text, told)
				}
			}
		}
		if !strings.Contains(told, "✓ "+chapter.then) {
			t.Errorf("%q does not end well:\n%s", chapter.title, told)
		}
	}
}

func TestItSaysWhereItHasToBeStarted(t *testing.T) {
	t.Chdir(t.TempDir())
	err := run(t.Context(), newPrinter(io.Discard, false), settings{once: true})
	if err == nil || !strings.Contains(err.Error(), "make run") {
		t.Errorf("in another folder it ends with %v", err)
	}
}
