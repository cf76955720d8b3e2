package sim

import (
	"fmt"
	"maps"
	"slices"
)

// checkEnd compares the store and all handlers with the server while the informer still runs.
func (r *runner) checkEnd() {
	want := r.server.state()
	_, stored := probe(r.informer.GetStore())
	if !maps.Equal(stored, want) {
		r.fail("the store is not what the server has:\n  want %v\n  got  %v", want, stored)
	}
	for _, h := range r.handlers {
		if h.removed {
			continue
		}
		if got := h.rebuilt(); !maps.Equal(got, want) {
			r.fail("%s rebuilt another world than the server has:\n  want %v\n  got  %v", h.name, want, got)
		}
		if !h.registration.HasSynced() {
			r.fail("%s was told everything and has not synced", h.name)
		}
	}
	if !r.informer.HasSynced() {
		r.fail("the informer has everything and has not synced")
	}
	if taken := r.server.log.taken(); len(taken) > 0 {
		if got, last := r.informer.LastSyncResourceVersion(), taken[len(taken)-1].version; got != last {
			r.fail("LastSyncResourceVersion is %s, the newest version the server sent is %s", got, last)
		}
	}
	r.checkIndexes()
}

// checkIndexes compares every index with the results of its function for all objects.
func (r *runner) checkIndexes() {
	indexer := r.informer.GetIndexer()
	for _, name := range sortedNames(r.indexers) {
		want := map[string][]string{}
		for _, key := range indexer.ListKeys() {
			obj, ok, err := indexer.GetByKey(key)
			if err != nil || !ok {
				r.fail("get %s, which is among the keys: %v, %v", key, ok, err)
				continue
			}
			values, _ := r.indexers[name](obj)
			for _, value := range values {
				want[value] = append(want[value], key)
			}
		}
		for _, value := range append(keysOf(want), "a value that no object has") {
			keys, err := indexer.IndexKeys(name, value)
			slices.Sort(keys)
			slices.Sort(want[value])
			if err != nil || !slices.Equal(keys, want[value]) {
				r.fail("index %s has %v for %q, want %v (%v)", name, keys, value, want[value], err)
			}
			objects, err := indexer.ByIndex(name, value)
			if err != nil || len(objects) != len(want[value]) {
				r.fail("index %s gives %d objects for %q, want %d (%v)", name, len(objects), value, len(want[value]), err)
			}
		}
		got := indexer.ListIndexFuncValues(name)
		slices.Sort(got)
		if values := keysOf(want); !slices.Equal(got, slices.DeleteFunc(values, func(v string) bool { return len(want[v]) == 0 })) {
			r.fail("index %s lists the values %v, want %v", name, got, values)
		}
	}
}

// checkRun compares what the handlers were told, and what the store showed, with the
// transcript.
func (r *runner) checkRun() {
	if r.server.swamped {
		r.fail("more than %d requests came without a pause", mostAtOnce)
	}
	c := chronicleOf(r.server.log.taken())
	for _, sum := range r.atSync {
		if !c.shows(sum, min(c.first+1, len(c.entries))) {
			r.fail("HasSynced turned true while the store did not show all of the first list")
		}
	}
	for _, h := range r.handlers {
		for _, f := range h.faults {
			r.fail("%s: %s", h.name, f)
		}
		for i, sum := range h.probes {
			if !c.shows(sum, 0) {
				r.fail("%s: its call number %d found the store in a state that it never had", h.name, i)
				break
			}
		}
		if h.removed {
			r.checkRemoved(c, h)
		} else {
			r.checkHandler(c, h)
		}
		r.checkResyncs(h)
	}
}

func (r *runner) checkHandler(c *chronicle, h *registered) {
	got, cut := h.sequences(), h.cut
	if cut < 0 {
		var ok bool
		if cut, ok = c.joined(got); !ok {
			r.fail("%s: there is no point of the transcript from which its calls follow:%s", h.name, diff(nil, got))
			return
		}
	}
	want := c.expect(cut, len(c.entries))
	if text := diff(want, got); text != "" {
		r.fail("the calls of %s do not follow from the transcript:%s", h.name, text)
		return
	}
	r.checkVisible(h, want)
	r.checkSynced(c, h, cut)
}

// checkVisible checks that no handler is told a state before readers can see it.
func (r *runner) checkVisible(h *registered, want sequences) {
	at := map[string]int{}
	for _, call := range h.calls {
		if call.same || call.stray {
			continue
		}
		i := at[call.key]
		at[call.key]++
		if !slices.ContainsFunc(want[call.key][i:], func(t told) bool { return t.new == call.store }) {
			r.fail("%s was told %s %v while the store still had revision %d", h.name, call.key, call.told, call.store)
		}
	}
}

// checkSynced checks that a handler has been told every object of the initial list when its
// registration has synced.
func (r *runner) checkSynced(c *chronicle, h *registered, cut int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.synced {
		return
	}
	if h.syncedLate {
		r.fail("%s had synced before the informer had", h.name)
	}
	seen := map[string]bool{}
	for _, call := range h.calls[:h.syncedAt] {
		seen[call.key] = true
	}
	if cut <= c.first && c.first < len(c.entries) {
		cut = c.first + 1
	}
	for _, key := range keysOf(c.worldAt(cut)) {
		if !seen[key] {
			r.fail("%s had synced before it was told of %s", h.name, key)
		}
	}
}

// checkRemoved checks the calls of a removed handler: they are the first of the calls that it
// would have got, and none comes after the removal.
func (r *runner) checkRemoved(c *chronicle, h *registered) {
	got := h.sequences()
	switch {
	case h.callsAtEnd >= 0 && h.done() != h.callsAtEnd:
		r.fail("%s was called %d times after it had been removed", h.name, h.done()-h.callsAtEnd)
	case h.cut >= 0 && !r.script.storm():
		if text := diff(c.expect(h.cut, h.left), got); text != "" {
			r.fail("%s: its calls before the removal do not follow from the transcript:%s", h.name, text)
		}
	case !c.left(got):
		r.fail("%s, which was removed: its calls do not follow from the transcript:%s", h.name, diff(nil, got))
	}
}

// checkResyncs checks calls that change nothing. A subscriber without resyncs gets such a
// call only for a reason: a duplicate event or a relist. If the server gave no reason, there
// must be no such call. A subscriber with resyncs may get any number of them.
func (r *runner) checkResyncs(h *registered) {
	if h.resync == 0 && r.quiet() {
		for _, call := range h.calls {
			if call.same {
				r.fail("%s has no resyncs, and was told %s %v", h.name, call.key, call.told)
				return
			}
		}
	}
}

// quiet reports whether the server gave no reason to tell an object twice.
func (r *runner) quiet() bool {
	lists := 0
	for _, e := range r.server.log.taken() {
		if e.items != nil {
			lists++
		}
	}
	return lists <= 1 && r.server.cfg.duplicates == 0
}

// compare says how two runs of one script differ. It is empty if they do not differ.
func compare(ours, theirs *outcome) string {
	var text string
	for _, name := range theirs.order {
		if d := diff(theirs.told[name], ours.told[name]); d != "" {
			text += fmt.Sprintf("\n%s was told differently:%s", name, d)
		}
	}
	return text
}
