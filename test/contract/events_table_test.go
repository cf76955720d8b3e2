package contract

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
