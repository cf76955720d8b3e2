// Command bench measures our parts against the incumbents, row by row, and says which
// promises hold.
//
//	go run ./hack/bench                  every row, as tables of ratios
//	go run ./hack/bench -rows "[4-9]|15" some of them
//	go run ./hack/bench -size 1000       on a thousand objects
//
//	go run ./hack/bench -report docs/benchmarks.md    every row, as a page
//
// A row is a benchmark called BenchmarkRowNN_What, with sub-benchmarks that end in /ours and
// /incumbent and may have variants in between:
//
//	BenchmarkRow05_StoreUpdate/indexers=3/ours
//	         │        │           │        └ side: the two of a variant are a pair
//	         │        │           └ variant: any number of elements, or none
//	         │        └ what
//	         └ row: its promise stands in gates.go, and in which folder the benchmark is
//
// Each side runs in a process of its own, and the two take turns: ours, incumbent, incumbent,
// ours. The speed of a shared machine drifts. With turns it drifts for both sides alike, so
// the ratio of one turn is fair. The ratio that counts is the median over the turns. It is
// always written so that more is better for us.
//
// The exit status is 0 when every selected row was measured.
//
// # The page
//
// The page shows only ratios. A time depends on the machine, and a ratio of two times that
// were taken in turns depends on it much less. Each subject has a table with the ratios, the
// spread of the rounds and the gates, whether reached or missed. Whole processes come first.
// The page is a function of the run and has no date. So two pages differ only if their runs do.
//
// # Concurrency
//
// None: one process is measured at a time.
//
// # Testing
//
// A fuzz test reads benchmark output. Tests of pairs, medians, promises and the choice of one
// side's benchmarks use made-up output. The tests of building and running processes use a
// package that is written for them. The page of a made-up run is compared with testdata/page,
// and the page in docs with that of the run beside it. -update writes both.
package main
