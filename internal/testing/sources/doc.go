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
