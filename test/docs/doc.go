// Package docs checks what the documents of this repository say. It has tests and
// nothing else.
//
//	README.md, ARCHITECTURE.md, CONTRIBUTING.md, docs/*.md
//	     │
//	     ├─ paths, links ─────────▶ there is such a file
//	     ├─ `TestName` in `file` ─▶ there is such a test
//	     ├─ make target ──────────▶ the Makefile has it
//	     ├─ go run ./package ─────▶ there is such a folder
//	     └─ lines of Go ──────────▶ stand in readme_test.go or adopt_test.go, which the compiler reads
//
// # Concurrency
//
// None.
//
// # Testing
//
// The checks are run on sentences that are wrong.
package docs
