// Package sources reads the Go files of this repository for tests that judge the code itself.
//
//	All(tree, below) ────────▶ every Go file ──┐
//	                                           ├──▶ do(name, source)
//	Production(tree, below) ─▶ no _test.go ────┘
//
// It leaves out what nobody here wrote: bin, hidden folders, and testdata. It is test support: only
// _test.go files import it.
//
// do is called in the goroutine of the test, for one file after the other, in the order of names.
package sources

import (
	"io/fs"
	"path"
	"strings"
)

// All calls do for each Go file in a folder of tree and below it. An error of do ends the walk.
func All(tree fs.FS, below string, do func(name string, source []byte) error) error {
	return fs.WalkDir(tree, below, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && foreign(name):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		return do(name, source)
	})
}

// Production is [All] without the files of tests.
func Production(tree fs.FS, below string, do func(name string, source []byte) error) error {
	return All(tree, below, func(name string, source []byte) error {
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		return do(name, source)
	})
}

// foreign reports whether a folder has files that are not the project's own code.
func foreign(folder string) bool {
	base := path.Base(folder)
	return folder == "bin" || base == "testdata" || folder != "." && strings.HasPrefix(base, ".")
}
