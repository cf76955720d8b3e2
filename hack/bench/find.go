package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A benchmark is a benchmark function of a row, and the folder it is in.
type benchmark struct {
	row    int
	name   string
	folder string
}

// find returns the benchmarks of the module at root, in order of their rows. It leaves out
// nested modules.
func find(root string) ([]benchmark, error) {
	var found []benchmark
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return enter(root, path)
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		here, err := declared(path)
		if err != nil {
			return err
		}
		found = append(found, here...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for benchmarks in %s: %w", root, err)
	}
	slices.SortStableFunc(found, func(a, b benchmark) int { return a.row - b.row })
	return found, nil
}

// declared returns the benchmarks of rows that a file declares.
func declared(path string) ([]benchmark, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []benchmark
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Recv != nil {
			continue
		}
		if row, _, ok := parseFunction(function.Name.Name); ok {
			found = append(found, benchmark{row: row, name: function.Name.Name, folder: filepath.Dir(path)})
		}
	}
	return found, nil
}

// enter skips the folders that have no packages of the module by the go command's rules.
func enter(root, path string) error {
	if path == root {
		return nil
	}
	name := filepath.Base(path)
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

// maxVariant is the largest number of elements that a variant can have.
const maxVariant = 4

// pattern is a -test.bench expression for one side of the benchmarks. The testing package
// matches a name element by element, and runs everything that matches up to then. So the
// expression has to tell the side's element from those of a variant: a variant's element is
// never the name of a side.
func pattern(names []string, side string) string {
	function := "^(" + strings.Join(names, "|") + ")$"
	variant := butNot(sides[:])
	var alternatives []string
	for depth := range maxVariant + 1 {
		alternatives = append(alternatives, function+strings.Repeat("/"+variant, depth)+"/^"+side+"$")
	}
	return strings.Join(alternatives, "|")
}

// butNot is an expression for every text except the given ones. No two of these may begin
// with the same letter. Go's expressions have no "not".
func butNot(words []string) string {
	var first strings.Builder
	var alternatives []string
	for _, word := range words {
		first.WriteByte(word[0])
		for i := 1; i < len(word); i++ {
			// The text is equal to the word up to here, and then it ends or continues differently.
			alternatives = append(alternatives, word[:i]+"([^"+word[i:i+1]+"].*)?")
		}
		alternatives = append(alternatives, word+".+")
	}
	return "^([^" + first.String() + "].*|" + strings.Join(alternatives, "|") + ")$"
}
