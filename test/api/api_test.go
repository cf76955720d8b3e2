package api

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

var update = flag.Bool("update", false, "write what is exported now to testdata")

// exported is how many symbols all packages export together: functions, types, methods,
// constants and variables. To add one, remove another: there are never more than 300.
const exported = 284

// TestTheExportedAPIIsWrittenDown compares everything that a user can call, set or implement
// with the lists in testdata.
func TestTheExportedAPIIsWrittenDown(t *testing.T) {
	all, err := surfaces(os.DirFS(filepath.Join("..", "..")), "pkg")
	if err != nil {
		t.Fatal(err)
	}
	written, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	symbols := 0
	known := map[string]bool{}
	for pkg, s := range all {
		symbols += s.symbols
		file := filepath.Join("testdata", strings.ReplaceAll(strings.TrimPrefix(pkg, "pkg/"), "/", "_")+".txt")
		known[file] = true
		now := strings.Join(s.lines, "\n") + "\n"
		if *update {
			if err := os.WriteFile(file, []byte(now), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		before, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%s is not written down: %v", pkg, err)
			continue
		}
		report(t, pkg, string(before), now)
	}
	for _, file := range written {
		if !known[file] {
			t.Errorf("%s does not belong to a package that exports something: remove it", file)
		}
	}
	if symbols != exported {
		t.Errorf("pkg exports %d symbols, and the constant exported says %d: change it", symbols, exported)
	}
}

// report shows the lines that differ.
func report(t *testing.T, pkg, before, now string) {
	t.Helper()
	was, is := lines(before), lines(now)
	for line := range is {
		if !was[line] {
			t.Errorf("%s: new, see -update: %s", pkg, line)
		}
	}
	for line := range was {
		if !is[line] {
			t.Errorf("%s: gone, see -update: %s", pkg, line)
		}
	}
}

func lines(text string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(text) {
		all[strings.TrimSpace(line)] = true
	}
	return all
}

func TestEverythingThatCanBeExportedIsRead(t *testing.T) {
	source := `package a

// Limit has a comment.
const Limit, hidden = 1, 2

type Kind int

const (
	_ Kind = iota
	First
	Second
	Other = 7
)

var Name string

type Box[T any] struct {
	Size, count int
	Inner
	Open func(T) error ` + "`json:\"open\"`" + `
}

type Reader interface {
	Read() error
	secret()
}

type Crate struct{ *box }

type Same = Box[int]

func New(size int) *Box[int] { return nil }

func (b *Box[T]) Fill(with ...T) (n int, err error) { return 0, nil }

func (b *Box[T]) empty() {}

func (b box) Odd(n int) {}

func (b box) even() {}

type box struct{}
`
	want := []string{
		"const First Kind", "const Limit", "const Other", "const Second Kind",
		"func (*Box[T]) Fill(with ...T) (n int, err error)", "func (Crate) Odd(n int)", "func New(size int) *Box[int]",
		"type Box has Inner", "type Box has Open func(T) error", "type Box has Size int", "type Box[T any] struct",
		"type Crate struct", "type Kind int", "type Reader can't be implemented elsewhere",
		"type Reader has Read func() error", "type Reader interface", "type Same = Box[int]", "var Name string",
	}
	all, err := surfaces(fstest.MapFS{
		"pkg/a/a.go":          {Data: []byte(source)},
		"pkg/a/a_test.go":     {Data: []byte("package a\n\nvar Test int\n")},
		"pkg/b/b.go":          {Data: []byte("package b\n\nvar none int\n")},
		"pkg/internal/c/c.go": {Data: []byte("package c\n\nvar Internal int\n")},
	}, "pkg")
	if err != nil || len(all) != 1 || all["pkg/a"] == nil {
		t.Fatalf("read %v, error %v", all, err)
	}
	if got := all["pkg/a"]; strings.Join(got.lines, "\n") != strings.Join(want, "\n") || got.symbols != 13 {
		t.Errorf("%d symbols:\n%s\nwant 13:\n%s", got.symbols, strings.Join(got.lines, "\n"), strings.Join(want, "\n"))
	}
}
