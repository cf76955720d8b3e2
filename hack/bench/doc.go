// Command bench measures ours against the incumbents, row by row, and says which
// promise holds.
//
//	go run ./hack/bench                  every row, as a table
//	go run ./hack/bench -rows 4-9,15     some of them
//	go run ./hack/bench -size 1000       on a thousand objects
//	go run ./hack/bench -profile 10      where Row 10 spends its time
//
// A row is a benchmark called BenchmarkRowNN_What, in whatever package it
// belongs to, with sub-benchmarks that end in /ours and /incumbent and may have
// variants in between:
//
//	BenchmarkRow05_StoreUpdate/indexers=3/ours
//	         │        │           │        └ side: the two of a variant are a pair
//	         │        │           └ variant: any number of elements, or none
//	         │        └ what
//	         └ row: its promise stands in gates.go
//
// Each side runs in a process of its own, and the two take turns: ours,
// incumbent, incumbent, ours. What drifts, as the clock rate of a shared machine
// does, then reaches both alike, and the ratio of one turn is a fair one. The
// ratio that counts is the median over the turns, and is always written so that
// more is better for us.
//
// The exit status is 0 when every selected row was measured, and with -check
// only when every promise holds, too.
//
// # Concurrency
//
// None: one process is measured at a time.
//
// # Testing
//
// Reading benchmark output is fuzzed; pairing, medians, promises, and choosing one
// side's benchmarks are tested on made-up output. That processes are built and
// run is tested with a package written for the test.
package main
