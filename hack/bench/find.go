package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
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

// testFiles is the format for `go list`: one file with tests a line.
const testFiles = `{{$folder := .Dir}}{{range .TestGoFiles}}{{$folder}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$folder}}/{{.}}{{"\n"}}{{end}}`

// find returns the benchmarks of the module at root, in order of their rows.
func find(ctx context.Context, root string) ([]benchmark, error) {
	command := exec.CommandContext(ctx, "go", "list", "-f", testFiles, "./...")
	command.Dir = root
	list, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("look for benchmarks in %s: %w", root, err)
	}
	var found []benchmark
	for _, path := range strings.Fields(string(list)) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("look for benchmarks: %w", err)
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Recv != nil {
				continue
			}
			if row, _, ok := parseFunction(function.Name.Name); ok {
				found = append(found, benchmark{row: row, name: function.Name.Name, folder: filepath.Dir(path)})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b benchmark) int { return a.row - b.row })
	return found, nil
}

// maxVariant is the largest number of elements that a variant can have.
const maxVariant = 4

// only returns the arguments of a test binary that run one side of the benchmarks. A side is
// the last element of a name, at any depth. So the other side is skipped at each depth.
func only(names []string, side string) []string {
	other := ours
	if side == ours {
		other = incumbent
	}
	var skipped []string
	for depth := range maxVariant + 1 {
		skipped = append(skipped, strings.Repeat("/", depth+1)+"^"+other+"$")
	}
	return []string{"-test.bench=^(" + strings.Join(names, "|") + ")$", "-test.skip=" + strings.Join(skipped, "|")}
}
