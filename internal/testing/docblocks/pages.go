package docblocks

import (
	"fmt"
	"os"
	"path/filepath"
)

// Pages returns every document of the repository at root, by its path there.
func Pages(root string) (map[string]string, error) {
	pages := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, fmt.Errorf("find the documents %s of %s: %w", pattern, root, err)
		}
		if found == nil {
			return nil, fmt.Errorf("find the documents %s of %s: there are none", pattern, root)
		}
		for _, file := range found {
			text, err := os.ReadFile(file) //nolint:gosec // a document of ours
			if err != nil {
				return nil, err
			}
			page, err := filepath.Rel(root, file)
			if err != nil {
				return nil, err
			}
			pages[filepath.ToSlash(page)] = string(text)
		}
	}
	return pages, nil
}
