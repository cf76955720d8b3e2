// Package docblocks finds what a document shows: blocks of code, changes to files,
// and commands.
//
//	Pages ──▶ page.md ──▶ Parse ──▶ blocks ──┬─ go ──────▶ where it is quoted from
//	                                         ├─ diff ────▶ ParseDiff ──▶ hunks
//	                                         └─ commands ▶ Commands
//
// Its users are tests, which hold the documents to what they show. It knows as much
// of Markdown as this repository's pages use, and what it can't read is an error:
// a block that is overlooked would go unchecked.
package docblocks
