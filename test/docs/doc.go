// Package docs checks what the documents of this repository say. It has tests and
// nothing else.
//
//	README.md, ARCHITECTURE.md, CONTRIBUTING.md, docs/*.md
//	     │
//	     ├─ paths, links ─────────▶ there is such a file
//	     ├─ `TestName` in `file` ─▶ there is such a test
//	     ├─ make target ──────────▶ the Makefile has it
//	     ├─ go run ./package ─────▶ there is such a folder
//	     ├─ prose ────────────────▶ has no phrase that must be read twice, nor has the code
//	     └─ blocks ───────────────▶ Go is quoted from a file that the compiler reads; what else is
//	                                shown is of a kind that test/adopt or test/commands checks
//
// # Concurrency
//
// None.
//
// # Testing
//
// The checks are run on sentences that are wrong.
package docs
