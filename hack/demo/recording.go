package main

import (
	"fmt"
	"os"
	"strings"
)

// recording is the output, with its colours. A nil recording records nothing.
type recording struct{ text strings.Builder }

func (r *recording) add(text string) {
	if r != nil {
		r.text.WriteString(text)
	}
}

// write writes two files: one to read and search, and one to look at.
func (r *recording) write(path string) error {
	if r == nil {
		return nil
	}
	text := strings.TrimLeft(r.text.String(), "\n")
	for name, content := range map[string]string{
		path + ".txt": plain(text),
		path + ".svg": picture(text),
	} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return fmt.Errorf("write the recording: %w", err)
		}
	}
	return nil
}
