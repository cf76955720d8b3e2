// Package docs checks that the documents of this repository are true. It and the two packages
// below it have only tests.
//
//	README.md, ARCHITECTURE.md, CONTRIBUTING.md, docs/*.md
//	     │
//	     ├─ paths, links ─────────▶ there is such a file, with such a heading
//	     ├─ `TestName` in `file` ─▶ there is such a test
//	     ├─ make target ──────────▶ the Makefile has it
//	     ├─ go run ./package ─────▶ there is such a folder
//	     ├─ words ────────────────▶ a page that uses a word of the glossary links to it
//	     ├─ texts of errors ──────▶ the code has them, if docs/troubleshooting.md quotes them
//	     ├─ prose ────────────────▶ has no phrase that must be read twice, nor has the code
//	     └─ blocks ─┬─ Go ────────▶ is quoted from a file that the compiler reads
//	                ├─ diffs ─────▶ package adopt applies them to projects
//	                └─ commands ──▶ package commands runs them
//
// With the build tag site, which make docs sets, it also follows the links of the site that hack/site makes of them.
//
// The packages adopt and commands take minutes, so `make test-all` runs them, and `make test`
// runs this one.
//
// # Concurrency
//
// None.
//
// # Testing
//
// The tests of the checks give them wrong sentences.
package docs
