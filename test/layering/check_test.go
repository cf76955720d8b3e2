package layering

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// rule says what the non-test files of one package may import. The standard
// library is always allowed.
type rule struct {
	ours   []string // packages of this module, from its root
	theirs []string // modules or packages of others, each with all below it
	except []string // what of theirs is not allowed after all; "!" in front allows it again
}

// checker walks a module and collects what breaks the rules.
type checker struct {
	module   string // its path
	table    map[string]rule
	files    *token.FileSet
	imports  map[string]map[string]bool // what the non-test files of each package import
	problems []string
}

// check returns what is wrong in the module whose source is tree.
func check(tree fs.FS, module string, table map[string]rule) ([]string, error) {
	c, err := look(tree, module, table)
	return c.found(), err
}

// look walks the module.
func look(tree fs.FS, module string, table map[string]rule) (*checker, error) {
	c := &checker{module: module, table: table, files: token.NewFileSet(), imports: map[string]map[string]bool{}}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return skip(tree, name)
		case !strings.HasSuffix(name, ".go"):
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		return c.file(name, source)
	})
	return c, err
}

func (c *checker) found() []string {
	slices.Sort(c.problems)
	return slices.Compact(c.problems)
}

// skip leaves out what the go command does not take for part of the module.
func skip(tree fs.FS, folder string) error {
	if folder == "." {
		return nil
	}
	base := path.Base(folder)
	_, err := fs.Stat(tree, path.Join(folder, "go.mod"))
	if err == nil || base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	return nil
}

func (c *checker) file(name string, source []byte) error {
	file, err := parser.ParseFile(c.files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	pkg := path.Dir(name)
	c.names(pkg, file)
	allowed, known := c.table[pkg]
	if !known {
		c.report(pkg, "is not in the import table: add it to test/layering/table_test.go and to ARCHITECTURE.md, with what it may import")
	}
	if c.imports[pkg] == nil {
		c.imports[pkg] = map[string]bool{}
	}
	if strings.HasSuffix(name, "_test.go") {
		return nil
	}
	for _, spec := range file.Imports {
		if known {
			c.imported(pkg, allowed, spec)
		}
	}
	if pkg != goroutines {
		c.goStatements(file)
	}
	return nil
}

func (c *checker) names(pkg string, file *ast.File) {
	for _, name := range []string{path.Base(pkg), strings.TrimSuffix(file.Name.Name, "_test")} {
		if slices.Contains(meaningless, name) {
			c.report(pkg, "package name %s says nothing about what is in it: name it after what it provides", name)
		}
	}
}

func (c *checker) imported(pkg string, allowed rule, spec *ast.ImportSpec) {
	target, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		panic(fmt.Sprintf("BUG: the parser let import path %s through: %v", spec.Path.Value, err))
	}
	c.imports[pkg][target] = true
	where := c.files.Position(spec.Pos()).String()
	if own, ours := strings.CutPrefix(target, c.module+"/"); ours {
		if !slices.Contains(allowed.ours, own) {
			c.report(where, "%s must not import %s: move the code to where both may be known, or declare in %s a small interface for what it needs",
				pkg, own, pkg)
		}
		return
	}
	if !standard(target) && (!covers(allowed.theirs, target) || excepted(allowed.except, target)) {
		c.report(where, "%s must not import %s: only an edge package may, and it adapts; keep it out of the core, or change the import table and ARCHITECTURE.md with a reason",
			pkg, target)
	}
}

func (c *checker) goStatements(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if statement, ok := n.(*ast.GoStmt); ok {
			c.report(c.files.Position(statement.Pos()).String(),
				"go statement outside %s: start it as a named task of a lifecycle.Group, so that somebody waits for it", goroutines)
		}
		return true
	})
}

func (c *checker) report(where, format string, args ...any) {
	c.problems = append(c.problems, where+": "+fmt.Sprintf(format, args...))
}

// standard reports whether a path is the standard library's: others have a host.
func standard(target string) bool {
	host, _, _ := strings.Cut(target, "/")
	return !strings.Contains(host, ".")
}

func excepted(except []string, target string) bool {
	for _, path := range except {
		if back, ok := strings.CutPrefix(path, "!"); ok && covers([]string{back}, target) {
			return false
		}
	}
	return covers(except, target)
}

// covers reports whether target is one of the paths or below one. A module's major
// version counts as below it.
func covers(paths []string, target string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		return target == path || strings.HasPrefix(target, path+"/")
	})
}
