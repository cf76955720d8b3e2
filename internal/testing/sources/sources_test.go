package sources

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
)

var tree = fstest.MapFS{
	"main.go":             {Data: []byte("package main")},
	"README.md":           {},
	"bin/tool.go":         {},
	".git/hook.go":        {},
	"pkg/a/a.go":          {},
	"pkg/a/a_test.go":     {},
	"pkg/a/testdata/x.go": {},
	"pkg/bin/b.go":        {},
}

type walk func(tree fs.FS, below string, do func(name string, source []byte) error) error

func TestFilesThatAreRead(t *testing.T) {
	for _, tt := range []struct {
		name  string
		walk  walk
		below string
		want  []string
	}{
		{"all", All, ".", []string{"main.go", "pkg/a/a.go", "pkg/a/a_test.go", "pkg/bin/b.go"}},
		{"production", Production, ".", []string{"main.go", "pkg/a/a.go", "pkg/bin/b.go"}},
		{"a folder", All, "pkg/a", []string{"pkg/a/a.go", "pkg/a/a_test.go"}},
	} {
		var got []string
		err := tt.walk(tree, tt.below, func(name string, source []byte) error {
			got = append(got, name)
			if name == "main.go" && string(source) != "package main" {
				t.Errorf("main.go has %q", source)
			}
			return nil
		})
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: read %q (error %v), want %q", tt.name, got, err, tt.want)
		}
	}
}
