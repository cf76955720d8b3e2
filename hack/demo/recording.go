package main

import (
	"fmt"
	"os"
	"strings"
)

// record writes what was shown, with its colours, into two files: one to read and search, and
// one to look at.
func record(path, shown string) error {
	shown = strings.TrimLeft(shown, "\n")
	for name, content := range map[string]string{path + ".txt": plain(shown), path + ".svg": picture(shown)} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return fmt.Errorf("write the recording: %w", err)
		}
	}
	return nil
}
