package main

import (
	"cmp"
	"fmt"
	"path"
	"slices"
)

// A promise is one row of the table: what is compared, which figure counts, and how much
// better ours must be.
type promise struct {
	row       int
	what      string
	folder    string // of the package that has the benchmark
	metric    string // unit of the figure, as the benchmark reports it
	noisy     bool   // only the median of many rounds is reliable, because of what else the machine does
	benchtime string // in the form of -test.benchtime; empty is benchtime
	// beside is the row whose processes measure this row, too. It is set where it takes longer
	// to make the objects than to run the benchmark.
	beside int
	gates  []gate
}

// A gate is the condition for the variants that its pattern matches, by the rules of
// path.Match. A gate without a condition shows another figure, such as processor time beside
// throughput. On a shared machine throughput depends on how much of the machine a side gets.
// A variant without a gate is shown and not judged.
type gate struct {
	variant string
	metric  string // empty means the promise's metric
	ratio   float64
	most    float64 // the largest allowed figure, if there is no ratio
}

// cpuToo shows the processor time beside the figure that counts.
var cpuToo = gate{metric: "cpu-ns/op"}

// few is what an event of an informer may allocate.
var few = gate{metric: "allocs/event", most: 4}

// benchtime is how long each benchmark runs in each round. More rounds help more than longer
// ones, because a disturbance lasts longer than a run.
const benchtime = "300ms"

// events is how many events a pipeline gets. They are so many that the last event of the last
// handler does not decide the figure. It is always the same number, because the events are
// made before and cost the garbage collector time.
const events = "100000x"

// promises are all rows, in order. A missing row is about a part that does not exist yet.
var promises = []promise{
	{row: 1, folder: "pkg/toolscache", what: "DeltaFIFO, add and pop, distinct keys", metric: "cpu-ns/op", gates: []gate{{ratio: 1.5}, {variant: "own", ratio: 4}}},
	{row: 2, folder: "pkg/toolscache", what: "DeltaFIFO, add and pop, hot keys", metric: "cpu-ns/op", gates: []gate{{ratio: 1}, {variant: "own", ratio: 2}}},
	{row: 3, folder: "pkg/toolscache", what: "DeltaFIFO, Replace of unchanged objects", metric: "cpu-ns/op", gates: []gate{{ratio: 2}, {variant: "own", ratio: 5}}},

	{row: 4, folder: "internal/engine/store", what: "store, Get", metric: "ns/op", noisy: true, gates: []gate{{ratio: 0.8}}},
	{row: 5, folder: "internal/engine/store", what: "store, Update", metric: "ns/op", noisy: true, benchtime: "20000x", // making the objects takes much longer
		gates: []gate{
			{variant: "indexers=*", ratio: 0.6},
			{variant: "indexers=*/view=held", ratio: 0.2},
			{variant: "indexers=*/view=held-batch=100", ratio: 0.4},
		}},
	{row: 6, folder: "internal/engine/store", what: "store, List", metric: "ns/op", noisy: true, gates: []gate{{ratio: 0.7}}},
	{row: 7, folder: "internal/engine/store", what: "store, ByIndex, one hit in a hundred", metric: "ns/op", gates: []gate{{ratio: 4}}},
	{row: 8, folder: "internal/engine/store", what: "store, Replace of unchanged objects, 3 indexers", metric: "ns/op", gates: []gate{{ratio: 4}}},
	{row: 9, folder: "internal/engine/store", what: "store, read during a Replace, p99", metric: "p99-ns", benchtime: "3x",
		gates: []gate{{variant: "unchanged", ratio: 1000}, {variant: "changed", ratio: 20}}},

	{row: 10, folder: "pkg/toolscache", what: "informer, event to 1 handler", metric: "events/s", benchtime: events, gates: []gate{{ratio: 1.5}, cpuToo, few}},
	{row: 11, folder: "pkg/toolscache", what: "informer, event to 4 handlers", metric: "events/s", benchtime: events, gates: []gate{{ratio: 3}, cpuToo, few}},
	{row: 12, folder: "pkg/toolscache", what: "informer, event to 16 handlers", metric: "events/s", benchtime: events, gates: []gate{{ratio: 4}, cpuToo, few}},
	{row: 14, folder: "pkg/toolscache", what: "informer, start to all synced, 4 handlers", metric: "ns/op", benchtime: "2x", gates: []gate{{ratio: 2}, cpuToo}},
	{row: 15, folder: "pkg/toolscache", what: "informer, relist of unchanged objects, 4 handlers", metric: "cpu-ns/op", benchtime: "1x", gates: []gate{{ratio: 3}}},
	{row: 16, folder: "test/endtoend", what: "end to end, relist of unchanged objects", metric: "cpu-ns/op", benchtime: "1x", beside: 30,
		gates: []gate{
			{variant: "encoding=json", ratio: 5}, {variant: "encoding=protobuf", ratio: 10},
			{variant: "encoding=json/from=memory", ratio: 15}, {variant: "encoding=protobuf/from=memory", ratio: 30},
		}},
	{row: 17, folder: "pkg/toolscache", what: "informer, change during a resync, p99", metric: "p99-ns", noisy: true, benchtime: "1x",
		gates: []gate{
			{variant: "handlers=1", ratio: 100},
			{variant: "handlers=4", ratio: 20},
			{variant: "handlers=*", metric: "syncs-ns", ratio: 1},
		}},

	// The garbage collector runs more often in a smaller heap. GOGC decides whether a user pays
	// with processor time or with memory. So both sides get a heap of the same size, and another
	// line shows the figure with GOGC=100.
	{row: 18, folder: "pkg/cache", what: "cache, Get of a Pod, private copy", metric: "same-heap-cpu-ns/op", gates: []gate{{ratio: 1.1}, cpuToo}},
	{row: 19, folder: "pkg/cache", what: "cache, List of a namespace, 1 %", metric: "same-heap-cpu-ns/op", beside: 18, gates: []gate{{ratio: 1.3}, cpuToo}},
	{row: 20, folder: "pkg/cache", what: "cache, List by label", metric: "same-heap-cpu-ns/op", beside: 18,
		gates: []gate{{variant: "matches=10", ratio: 100}, {variant: "matches=1000", ratio: 4}, {variant: "matches=*", metric: "cpu-ns/op"}}},
	{row: 21, folder: "pkg/cache", what: "cache, List by field, 100 hits", metric: "same-heap-cpu-ns/op", beside: 18, gates: []gate{{ratio: 1}, cpuToo}},

	{row: 22, folder: "pkg/queue/ctrlqueue", what: "queue, add, get and done", metric: "cpu-ns/op",
		gates: []gate{{variant: "against=workqueue/*/*", ratio: 1.3}, {variant: "against=priorityqueue/*/*", ratio: 5}}},
	{row: 23, folder: "pkg/queue/ctrlqueue", what: "queue, lateness of timers, p99", metric: "p99-ns", noisy: true, benchtime: "1x", gates: []gate{{variant: "against=priorityqueue", ratio: 5}}},
	{row: 24, folder: "pkg/queue/ctrlqueue", what: "queue, AddRateLimited", metric: "cpu-ns/op", gates: []gate{{variant: "against=workqueue", ratio: 1.3}}},
	// Ours may take a tenth more.
	{row: 25, folder: "pkg/queue/ctrlqueue", what: "queue, memory of a pending timer", metric: "B/item", benchtime: "1x", gates: []gate{{variant: "against=*", ratio: 1 / 1.1}}},

	// There is no row 26, which was to be about decoding alone. It is nearly all of row 27.
	{row: 27, folder: "test/endtoend", what: "end to end, watch event to reconciler", metric: "cpu-ns/op", benchtime: "1x",
		gates: []gate{{variant: "encoding=json", ratio: 4}, {variant: "encoding=protobuf", ratio: 1.8}, {variant: "encoding=unstructured", ratio: 3}}},

	{row: 28, folder: "pkg/cache", what: "cache, memory of a Pod", metric: "B/item", beside: 18, gates: []gate{{ratio: 1 / 0.6}}},
	{row: 29, folder: "test/endtoend", what: "cache, memory of an unstructured object", metric: "B/item", benchtime: "1x", beside: 30,
		gates: []gate{{variant: "managedFields=kept", ratio: 1 / 0.7}, {variant: "managedFields=stripped", ratio: 1 / 0.5}}},

	// The peak is resident memory: of the whole process in peak-B/item, and without what the process
	// has before the list in peak/live.
	{row: 30, folder: "test/endtoend", what: "end to end, first list", metric: "cpu-ns/op", benchtime: "1x",
		gates: []gate{
			{variant: "encoding=json", ratio: 3}, {variant: "encoding=protobuf", ratio: 1.5},
			{variant: "encoding=unstructured", metric: "cpu-ns/op"},
			{variant: "encoding=*", metric: "peak/live", most: 1.2},
			{variant: "encoding=*", metric: "peak-B/item", ratio: 1},
		}},

	// A million of them have to fit into 6 GiB.
	{row: 32, folder: "test/endtoend", what: "end to end, objects of 2 KB", metric: "peak-B/item", benchtime: "1x", gates: []gate{{variant: "encoding=*", most: 6 << 30 / 1e6}}},
}

// together reports whether the processes of p measure a row.
func (p *promise) together(row int) bool {
	return row == p.row || slices.ContainsFunc(promises, func(other promise) bool { return other.row == row && other.beside == p.row })
}

// rounds is how often each side runs, if each side of a noisy row runs that often.
func (p *promise) rounds(most int) int {
	if p.noisy {
		return most
	}
	return (most + 1) / 2
}

func (p *promise) time() string { return cmp.Or(p.benchtime, benchtime) }

// gatesOf returns the gates for a variant, with their metrics filled in. If there is none, it
// returns one that always holds.
func (p *promise) gatesOf(variant string) []gate {
	var found []gate
	for _, g := range p.gates {
		if match, err := path.Match(g.variant, variant); err != nil {
			panic(fmt.Sprintf("BUG: gate of row %d: %v", p.row, err))
		} else if !match {
			continue
		}
		if g.metric == "" {
			g.metric = p.metric
		}
		found = append(found, g)
	}
	if found == nil {
		found = []gate{{metric: p.metric}}
	}
	return found
}

// judges reports whether the gate has a condition.
func (g gate) judges() bool { return g.ratio != 0 || g.most != 0 }

// holds reports whether the measured figures are good enough.
func (g gate) holds(found comparison) bool {
	if g.most != 0 {
		return found.Ours <= g.most
	}
	return found.Ratio >= g.ratio
}

func (g gate) String() string {
	switch {
	case g.most != 0:
		return "≤ " + short(g.most)
	case g.ratio != 0:
		return "≥ " + short(g.ratio) + "×"
	}
	return ""
}
