package main

// fifos are faults of the two queues of deltas: that of informers, and the one with client-go's methods.
var fifos = []mutant{
	{
		name: "Delete does not see what was handed out",
		file: "internal/engine/fifo_inlet.go",
		old:  "last, present := f.latestLocked(it.Key)\n\tswitch {",
		new: `last, present := f.latestLocked(it.Key)
	if change, ok := f.pending.newestChange(it.Key); ok || f.opts.Known == nil {
		present = ok && change.Op != delta.Deleted
	} else {
		_, present = f.opts.Known.Get(it.Key)
	}
	switch {`,
		suites: []suite{fifoModel, stormyScripts},
	},
	{
		name:   "Replace does not see what was handed out",
		file:   "internal/engine/fifo_replace.go",
		old:    "for key := range f.out.keys() {\n\t\tif !f.pending.has(key) {",
		new:    "for key := range f.out.keys() {\n\t\tif !f.pending.has(key) && false {",
		suites: []suite{fifoModel},
	},
	{
		name:   "client-go's Delete does not see what was handed out",
		file:   "pkg/toolscache/deltafifo.go",
		old:    "if f.out.keys > 0 && f.out.key == key {",
		new:    "if false {",
		suites: []suite{fifoScripts},
	},
	{
		name:   "client-go's Replace and Resync do not see what was handed out",
		file:   "pkg/toolscache/deltafifo.go",
		old:    "if f.out.keys > 0 {",
		new:    "if false {",
		suites: []suite{fifoScripts},
	},
	{
		name:   "a queue by key has synced before its first list is processed",
		file:   "pkg/toolscache/deltafifo.go",
		old:    "f.fillLocked(len(f.order) + f.out.keys)",
		new:    "f.fillLocked(len(f.order) - 1)",
		suites: []suite{fifoScripts},
	},
	{
		name:   "an addition after a deletion swallows it",
		file:   "pkg/toolscache/deltafifo.go",
		old:    "newest.Type == cache.Deleted && d.Type == cache.Deleted {",
		new:    "newest.Type == cache.Deleted {",
		suites: []suite{fifoScripts},
	},
	{
		name:   "a tombstone hides the final state",
		file:   "pkg/toolscache/deltafifo.go",
		old:    "unknown := newest.Object.(cache.DeletedFinalStateUnknown); unknown {",
		new:    "unknown := newest.Object.(cache.DeletedFinalStateUnknown); !unknown {",
		suites: []suite{fifoScripts},
	},
	{
		name:   "the deltas of a key come out backwards",
		file:   "pkg/toolscache/deltafifo.go",
		old:    "w.deltas = append(w.deltas, d)",
		new:    "w.deltas = append(cache.Deltas{d}, w.deltas...)",
		suites: []suite{fifoScripts},
	},
}
