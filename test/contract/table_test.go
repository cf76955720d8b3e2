package contract

import (
	"slices"
	"time"
)

// abc are the first steps of most scripts. After them there are a of w4 and c of w3.
var abc = []step{put{"a", "red"}, put{"b", ""}, put{"c", "red"}, put{"a", ""}, remove{"b"}}

func after(steps []step, more ...step) []step { return slices.Concat(steps, more) }

// table are the scripts that are not random.
func table() []script {
	return slices.Concat(listScripts(), watchScripts(), streamScripts(), eventScripts(), restoreScripts())
}

func listScripts() []script {
	return []script{
		{name: "lists", steps: after(abc, together{
			list{}, list{version: "0"}, list{version: "w2"}, list{version: "w5"},
			list{version: "w2", match: notOlderThan}, list{version: "0", match: notOlderThan},
			list{version: "w2", match: exact}, list{version: "w5", match: exact},
		})},
		{name: "lists with a limit", steps: after(abc, together{
			list{limit: 1}, list{limit: 2}, list{limit: 3}, list{version: "0", limit: 1},
			list{version: "w3", limit: 2}, list{version: "w2", limit: 1, match: notOlderThan},
			list{version: "w3", limit: 1, match: exact},
		})},
		{name: "lists of the future", steps: after(abc, together{
			list{version: "future"}, list{version: "future", match: notOlderThan},
			list{version: "future", match: exact}, list{version: "future", limit: 1},
		})},
		{name: "lists that make no sense", steps: after(abc, together{
			list{version: "nonsense"}, list{version: "-1"}, list{match: exact}, list{match: notOlderThan}, list{version: "0", match: exact},
			list{version: "w1", match: "Nonsense"}, list{initial: yes}, list{initial: no},
			list{from: "nonsense"}, list{from: "?"}, list{from: "next", limit: -1}, list{limit: -1},
			list{version: "nonsense", match: exact}, list{version: "nonsense", limit: 1},
		})},
		{name: "pages", steps: after(abc,
			list{limit: 1}, put{"d", ""}, together{
				list{limit: 1, from: "next"}, list{from: "next"}, list{version: "0", limit: 1, from: "next"},
				list{version: "w1", from: "next"}, list{version: "w1", match: exact, from: "next"}, list{match: notOlderThan, from: "next"},
				list{version: "nonsense", from: "next"},
			})},
		{name: "pages of the past", steps: after(abc,
			list{version: "w3", match: exact, limit: 1}, list{limit: 1, from: "next"}, list{limit: 1, from: "next"},
			list{version: "w3", limit: 2}, list{from: "next"})},
	}
}

func watchScripts() []script {
	more := []step{put{"d", "red"}, put{"a", "red"}, remove{"c"}, put{"c", ""}}
	return []script{
		{name: "watches", steps: after(abc, together{
			watch{request: request{version: "w1"}}, watch{request: request{version: "w4"}}, watch{request: request{version: "w5"}},
			watch{request: request{version: "0"}}, watch{request: request{}},
			watch{request: request{version: "0", bookmarks: true}}, watch{request: request{bookmarks: true}},
			watch{request: request{version: "w2", limit: 1}},
		})},
		{name: "a watch that goes on", steps: after(abc, watch{request: request{version: "w4"}, then: more})},
		{name: "a watch from the future", steps: after(abc,
			watch{request: request{version: "future", bookmarks: true, timeout: 4}, then: more})},
		{name: "a watch that had news ends", steps: after(abc,
			watch{request: request{version: "w5", bookmarks: true, timeout: 4}, then: []step{put{"a", ""}}})},
		{name: "a watch without bookmarks ends", steps: after(abc,
			watch{request: request{version: "w5", timeout: 4}, then: []step{put{"a", ""}}})},
		{name: "a watch without news ends", alone: true, steps: after(abc, watch{request: request{version: "w5", bookmarks: true, timeout: 5}})},
		{name: "a watch that lasts a second", steps: after(abc,
			watch{request: request{version: "w5", bookmarks: true, timeout: 1}, then: []step{put{"a", ""}}})},
		{name: "watches that make no sense", steps: after(abc, together{
			watch{request: request{version: "nonsense"}}, watch{request: request{version: "-1"}}, watch{request: request{version: "w1", match: exact}},
			watch{request: request{version: "w1", match: notOlderThan}}, watch{request: request{match: notOlderThan}},
			watch{request: request{initial: yes}}, watch{request: request{initial: no}}, watch{request: request{initial: yes, match: exact}},
			watch{request: request{initial: yes, match: "Nonsense"}}, watch{request: request{from: "nonsense", version: "w1"}},
			watch{request: request{from: "nonsense", initial: yes, match: notOlderThan}},
			watch{request: request{version: "nonsense", initial: yes, match: notOlderThan}},
		})},
	}
}

func streamScripts() []script {
	asked := func(version string) request {
		return request{version: version, initial: yes, match: notOlderThan, bookmarks: true}
	}
	mute := func(version string) request {
		return request{version: version, initial: yes, match: notOlderThan}
	}
	declined := func(version string) request {
		return request{version: version, initial: no, match: notOlderThan, bookmarks: true}
	}
	ending := asked("")
	ending.timeout = 5
	return []script{
		{name: "streaming lists", steps: after(abc, together{
			watch{request: asked("")}, watch{request: asked("0")}, watch{request: asked("w2")}, watch{request: asked("w5")},
			watch{request: mute("")}, watch{request: mute("0")}, watch{request: mute("w2")},
			watch{request: declined("")}, watch{request: declined("0")}, watch{request: declined("w2")},
		})},
		{name: "streaming lists of nothing", steps: []step{together{watch{request: asked("")}, watch{request: mute("")}}}},
		{name: "streaming lists of the future", steps: after(abc, together{
			watch{request: asked("future")}, watch{request: mute("future")}, watch{request: declined("future")}, watch{request: request{version: "future"}},
		})},
		{name: "a streaming list goes on", steps: after(abc,
			watch{request: ending, then: []step{pause(1500 * time.Millisecond), put{"a", "red"}, remove{"c"}, put{"d", ""}}})},
		{name: "a declined list goes on", steps: after(abc,
			watch{request: declined(""), then: []step{put{"a", "red"}, remove{"c"}, put{"d", ""}}})},
	}
}

// looks are requests that check everything interesting about a server after an event. w5 is
// the newest write.
func looks() step {
	stream := request{initial: yes, match: notOlderThan, bookmarks: true}
	at := func(r request, version string) request {
		r.version = version
		return r
	}
	return together{
		list{}, list{version: "0"}, list{version: "w2"}, list{version: "w5"},
		list{version: "w2", match: notOlderThan}, list{version: "w2", match: exact}, list{version: "w5", match: exact},
		list{version: "w2", limit: 1}, list{version: "w5", limit: 1}, list{version: "0", limit: 1}, list{limit: 1},
		list{version: "w2", limit: 1, match: notOlderThan}, list{version: "w2", limit: 1, match: exact},
		list{version: "future"}, list{version: "future", match: exact},
		list{from: "next"}, list{from: "next", limit: 1}, list{from: "nonsense"},
		watch{request: request{version: "w2"}}, watch{request: request{version: "w5"}}, watch{request: request{version: "future"}},
		watch{request: request{version: "0"}}, watch{request: request{}}, watch{request: request{version: "w2", bookmarks: true, timeout: 4}},
		watch{request: stream}, watch{request: at(stream, "0")}, watch{request: at(stream, "w2")}, watch{request: at(stream, "w5")},
		watch{request: request{initial: no, match: notOlderThan, version: "w2"}}, watch{request: request{initial: no, match: notOlderThan}},
	}
}

// eventScripts are about servers that are started again or forget. There are only as many
// fates as necessary, because each takes seconds.
func eventScripts() []script {
	paged := after(abc, list{limit: 1})
	return []script{
		{name: "after a restart, and a compaction", steps: after(paged, restart, looks(), compact, looks())},
		{name: "after a compaction, and a restart", steps: after(paged, compact, looks(), restart, looks())},
		{name: "after a restart with writes", steps: after(paged, restart, put{"a", "red"}, remove{"c"}, together{
			watch{request: request{version: "w5"}}, watch{request: request{version: "w6"}}, watch{request: request{version: "w7"}},
			list{version: "w5", match: exact}, list{version: "w6", match: exact}, list{version: "w6", limit: 1}, list{from: "next"},
		}, compact, list{version: "w5", match: exact}, list{version: "w6", match: exact}, list{from: "next"})},
		{name: "a token that outlives its version", steps: after(paged, compact, restart,
			list{from: "next"}, list{from: "rest", limit: 1}, list{from: "rest"}, put{"e", ""}, list{from: "rest"})},
		{name: "deleted and created again after a restart", steps: after(paged, restart, remove{"a"}, put{"a", "red"},
			watch{request: request{version: "w6"}}, watch{request: request{version: "w5"}}, list{version: "w6", match: exact}, list{version: "w4", match: exact},
			compact, list{version: "w6", match: exact})},
	}
}

// restoreScripts are about servers that go back in time. Each server loses w4 and w5, so that
// a client knows versions from the future. Some of the servers were started again over the
// backup, and some have gone on running.
func restoreScripts() []script {
	before := []step{
		put{"a", "red"}, put{"b", ""}, put{"c", "red"}, backup,
		crowd{many}, put{"a", ""}, remove{"b"}, crowd{few}, list{limit: 1},
	}
	later := []step{put{"d", ""}, put{"a", "red"}}
	lost := request{version: "w5", bookmarks: true, timeout: 5}
	return []script{
		{name: "after a restore, and a compaction", steps: after(before, restore, looks(), compact, looks())},
		{name: "a watch from the lost future", steps: after(before, restore,
			watch{request: lost, then: later}, list{}, list{version: "w7", match: exact}, compact, list{version: "w7", match: exact})},
		{name: "a lost future that comes", steps: after(before, restore, watch{
			request: request{version: "w5", bookmarks: true},
			then:    []step{put{"d", ""}, list{from: "next"}, crowd{2 * many}, put{"a", "red"}, list{from: "next", limit: 1}},
		})},
		{name: "a server that runs on over a restore", steps: after(before, restoreBelow, later[0], later[1], looks(), restart, list{}, put{"e", ""},
			together{watch{request: lost}, list{}, list{version: "w2", match: exact}, list{from: "next"}, watch{}})},
	}
}
