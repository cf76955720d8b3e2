// Command bench measures ours against the incumbents, row by row, and says which
// promise holds.
//
//	go run ./hack/bench                  every row, as a table
//	go run ./hack/bench -rows 4-9,15     some of them
//	go run ./hack/bench -size 1000       on a thousand objects
//	go run ./hack/bench -profile 10      where Row 10 spends its time
//
//	go run ./hack/bench -report docs/benchmarks.md    every row, as a page with charts
//	go run ./hack/bench -report docs/benchmarks.md -from docs/benchmarks/run.json
//	                                                  the page once more, of what it was made of
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
// # The page
//
// It tells of ratios alone: a time is about one machine, a ratio of two times taken in
// turn on it much less so. A chart for each subject has them on a logarithmic axis, with
// the spread of the rounds and with the gates, reached and missed alike, and a table has
// the same figures for who does not see the chart. Page and charts are a function of the
// run, without a date, so that two of them differ in what was found and nothing else.
//
// # Concurrency
//
// None: one process is measured at a time.
//
// # Testing
//
// Reading benchmark output is fuzzed; pairing, medians, promises, and choosing one
// side's benchmarks are tested on made-up output. That processes are built and
// run is tested with a package written for the test. The page of a made-up run is
// held against testdata/page, which -update writes; its tables are read back, and its
// charts are measured by their own axes.
package main
