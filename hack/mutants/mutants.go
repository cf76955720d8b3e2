package main

// These suites have to notice the faults.
var (
	fifoScripts   = suite{pkg: "./test/sim", run: "^TestDeltaFIFO$", seeds: 2000}
	pacedScripts  = suite{pkg: "./test/sim", run: "^TestPaced$", seeds: 2000}
	stormyScripts = suite{pkg: "./test/sim", run: "^TestStormy$", seeds: 1000}
	fifoModel     = suite{pkg: "./internal/engine", run: "^TestFIFOModel$", seeds: 1000}
	storeScripts  = suite{pkg: "./internal/store", run: "^TestModel$", seeds: 500}
	storesAlike   = suite{pkg: "./pkg/toolscache", run: "^TestStoreDifferential$", seeds: 500}
	ledgerStories = suite{
		pkg: "./pkg/delta",
		run: "^Test(WhatWasUndoneIsTouched|AGapAfterAFailureIsTold|WhatIsLeftOutMeanwhileIsSaid|NothingIsRuledOutBeforeTheFirstSuccess)$",
	}
	likeObjects   = suite{pkg: "./internal/dedup", run: "^TestRandomObjects$", seeds: 20}
	othersMemory  = suite{pkg: "./internal/decode", run: "^TestMemoryOfOthersIsNotWritten$"}
	stepStories   = suite{pkg: "./pkg/delta", run: "^(TestAStepRunsThatTheLastCallDidNotReach|TestAStepThatFailsIsNotDealtWith)$"}
	newObjects    = suite{pkg: "./pkg/builder", run: "^TestStepsRunFor(ANewObjectOfAnOldName|AnObjectThatWasReplaced)$"}
	patience      = suite{pkg: "./internal/timetable", run: "^TestPatienceIsCountedInAll$"}
	unread        = suite{pkg: "./internal/mutation", run: "^TestWhat(ATypeRemembers|DecodesItself)"}
	tangles       = suite{pkg: "./internal/mutation", run: "^TestATangleIsNotWatched$"}
	withoutUID    = suite{pkg: "./internal/engine", run: "^TestAnObjectWithoutAUIDMayBeTheSame$"}
	awake         = suite{pkg: "./internal/reflector", run: "^TestKindsDoNotKeepOneAnotherAwake$"}
	unmeasured    = suite{pkg: "./internal/footprint", run: "^TestAMapThatATypeKeepsForItselfIsNotRead$"}
	interleavings = suite{pkg: "./pkg/builder", run: "^TestInterleavings$"}
	unreadLists   = suite{pkg: "./internal/engine", run: "^TestWhatAListLacksMayExist$"}
	savedScopes   = suite{pkg: "./internal/engine", run: "^TestWhatWasSavedIsOfTheScopesThatThereWere$"}
	olderLists    = suite{pkg: "./internal/engine", run: "^TestAListThatIsOlderThanWhatWasSaved$"}
	lateLists     = suite{pkg: "./internal/engine", run: "^TestA(ScopeThatComes|KindThatIsFound)LateIsAGap$"}
	spreadRounds  = suite{pkg: "./internal/timetable", run: "^TestASpreadResyncLastsUntilTheNextTick$"}
	words         = suite{pkg: "./pkg/cache", run: "^TestErrorsHaveTheWordsThatProgramsLookFor$"}
	usedMemory    = suite{pkg: "./pkg/cache", run: "^TestReadsIntoUsedMemory$"}
)

// mutants are the faults. Each names the suites that have to notice it, and all of these have
// to.
var mutants = []mutant{
	{
		name:   "synced before the first list is visible",
		file:   "internal/engine/fifo_inlet.go",
		old:    "if !in.listed || in.unpopped || oldest <= in.initialEnd {",
		new:    "if !in.listed {",
		suites: []suite{fifoModel, pacedScripts, stormyScripts},
	},
	{
		name:   "a batch is applied backwards",
		file:   "internal/engine/controller.go",
		old:    "events[n] = batch.items[i].event",
		new:    "events[n] = batch.items[len(batch.items)-1-i].event",
		suites: []suite{pacedScripts, stormyScripts},
	},
	{
		name:   "an index keeps what has left it",
		file:   "internal/store/pins.go",
		old:    "p.of.remove(p, e)",
		new:    "_ = p",
		suites: []suite{storeScripts},
	},
	{
		name:   "an index does not follow a change of values",
		file:   "internal/store/file.go",
		old:    "if slices.Equal(t.had, wanted) {",
		new:    "if was != nil {",
		suites: []suite{storeScripts, storesAlike},
	},
	{
		name:   "what a reconciler failed with is forgotten",
		file:   "pkg/delta/account.go",
		old:    "a.pending, a.told = slices.Clone(a.told), nil",
		new:    "a.pending, a.told = nil, nil",
		suites: []suite{ledgerStories},
	},
	{
		name:   "a request is complete although something was missed",
		file:   "pkg/delta/books.go",
		old:    "case a.gaps != b.gaps:",
		new:    "case a.gaps > b.gaps:",
		suites: []suite{ledgerStories},
	},
	{
		name:   "a request is complete although there was too much",
		file:   "pkg/delta/books.go",
		old:    "a.lacking = tooMany\n",
		new:    "_ = tooMany\n",
		suites: []suite{ledgerStories},
	},
	{
		name:   "strings are shared that are as long",
		file:   "internal/dedup/match.go",
		old:    "if *a != *b {",
		new:    "if len(*a) != len(*b) {",
		suites: []suite{likeObjects},
	},
	{
		name:   "a list is shared with a longer one",
		file:   "internal/dedup/match.go",
		old:    "same := a.len == b.len",
		new:    "same := a.len <= b.len",
		suites: []suite{likeObjects},
	},
	{
		name:   "an equal list is not shared",
		file:   "internal/dedup/match.go",
		old:    "*a = header{data: b.data, len: b.len, cap: b.len}",
		new:    "_ = b.cap",
		suites: []suite{likeObjects},
	},
	{
		name:   "what somebody else may have is changed in place",
		file:   "internal/dedup/foreign.go",
		old:    "Foreign: Foreign(t)}",
		new:    "Foreign: t == nil}",
		suites: []suite{othersMemory, unread},
	},
	{
		name:   "what a package keeps for itself is read",
		file:   "internal/dedup/foreign.go",
		old:    "f.IsExported() || f.Anonymous",
		new:    "f.Name != \"\" || f.Anonymous",
		suites: []suite{unread},
	},
	{
		name:   "a look goes all ways through an object that leads to itself",
		file:   "internal/mutation/fingerprint.go",
		old:    "const most = 100_000",
		new:    "const most = 1 << 60",
		suites: []suite{tangles},
	},
	{
		name:   "what a package keeps for itself is measured",
		file:   "internal/footprint/types.go",
		old:    "for _, i := range dedup.LegibleOf(t).Fields {\n\t\tif k",
		new:    "for i := range t.NumField() {\nif k",
		suites: []suite{unmeasured},
	},

	// These break what a ledger tells. The test of all interleavings of small worlds notices them.
	{
		name:   "a change folds that does not go on where the other one ends",
		file:   "pkg/delta/change_fold.go",
		old:    "if where == elsewhere {\n\t\t\treturn false\n",
		new:    "if where == elsewhere {\n\t\t\twhere = behind\n",
		suites: []suite{interleavings},
	},
	{
		name:   "a slow watch takes a change back to an old state",
		file:   "pkg/delta/change_fold.go",
		old:    "return within\n",
		new:    "return behind\n",
		suites: []suite{interleavings},
	},
	{
		name:   "the states in between are forgotten",
		file:   "pkg/delta/change_fold.go",
		old:    "c.between = append(slices.Clip(c.between), state)",
		new:    "_ = slices.Clip(c.between)",
		suites: []suite{interleavings},
	},
	{
		name:   "a change that folds forgets its causes",
		file:   "pkg/delta/change_fold.go",
		old:    "c.causes = causesOf(c) | causesOf(next)",
		new:    "c.causes = causesOf(c)",
		suites: []suite{interleavings},
	},
	{
		name:   "what waits for another call is dealt with",
		file:   "pkg/delta/books.go",
		old:    "if a.steps = done; how == ledger.Failed || how == ledger.Unfinished {",
		new:    "if a.steps = done; how == ledger.Failed {",
		suites: []suite{interleavings},
	},
	{
		name:   "what was settled is told again after a failure",
		file:   "pkg/delta/books.go",
		old:    "if a.steps = done; how == ledger.Failed || how == ledger.Unfinished {",
		new:    "if a.steps = done; how == ledger.Failed || how == ledger.Unfinished || how == ledger.SettledAndFailed {",
		suites: []suite{interleavings},
	},
	{
		name:   "a request that is added while a worker has it comes for no reason",
		file:   "pkg/delta/account.go",
		old:    "func (n *arrivals) takeWithNews() { n.landed = min(max(0, n.landed-1), 1) }",
		new:    "func (n *arrivals) takeWithNews() { n.landed = 0 }",
		suites: []suite{interleavings},
	},
	{
		name:   "what a predicate held back is forgotten",
		file:   "pkg/delta/stream.go",
		old:    "after.hidden |= bit",
		new:    "_ = bit",
		suites: []suite{interleavings},
	},
	{
		name:   "what was for another request is forgotten",
		file:   "pkg/delta/stream.go",
		old:    "(!d.known || !d.before.told(hash))",
		new:    "!d.known",
		suites: []suite{interleavings},
	},
	{
		name:   "a resync that shows an update has no cause but itself",
		file:   "pkg/delta/stream.go",
		old:    "if c.watch != 0 && hidesUpdate(&c) {",
		new:    "if c.watch == 0 && hidesUpdate(&c) {",
		suites: []suite{interleavings},
	},
	{
		name:   "a first list that comes late hides nothing",
		file:   "internal/engine/fifo_inlet.go",
		old:    "\t\tin.countLateLocked()\n",
		new:    "",
		suites: []suite{lateLists},
	},
	{
		name:   "an object that was saved and can't be read is gone",
		file:   "internal/engine/past.go",
		old:    "if in.omitted.may(key) {",
		new:    "if in.omitted.may(key) && false {",
		suites: []suite{unreadLists},
	},
	{
		name:   "an object that was saved and has been read a moment ago is gone",
		file:   "internal/engine/past.go",
		old:    "return present && !isOther(",
		new:    "return !present && !isOther(",
		suites: []suite{unreadLists},
	},
	{
		name:   "an object that has no UID is another one",
		file:   "internal/engine/past.go",
		old:    `return a != "" && b != "" && a != b`,
		new:    "return a != b",
		suites: []suite{withoutUID},
	},
	{
		name:   "kinds that can't watch keep one another awake",
		file:   "internal/reflector/reflector.go",
		old:    "if woken || retryAfter(err) > 0",
		new:    "if woken && false || retryAfter(err) > 0",
		suites: []suite{awake},
	},
	{
		name:   "an object that was saved and whose scope has left is gone",
		file:   "internal/engine/fifo_inlet.go",
		old:    "in.closed, f.asMade = true, false",
		new:    "in.closed = true",
		suites: []suite{savedScopes},
	},
	{
		name:   "an object that was saved later than the list was made is gone",
		file:   "internal/engine/past.go",
		old:    "return !reflector.Older(c.Version(), c.fifo.opts.Traits.Version(last)) &&",
		new:    "return (true || reflector.Older(c.Version(), c.fifo.opts.Traits.Version(last))) &&",
		suites: []suite{olderLists},
	},
	{
		name:   "a resync has patience again when all have caught up",
		file:   "internal/timetable/run.go",
		old:    "run.waited += now.Sub(run.dividedAt)\n",
		new:    "if len(ready.Members) > 0 && len(late.Members) > 0 {\nrun.waited += now.Sub(run.dividedAt)\n}\n",
		suites: []suite{patience},
	},
	{
		name:   "a read keeps what was in the memory that it is for",
		file:   "pkg/cache/copy.go",
		old:    "to.Elem().SetZero()",
		new:    "_ = to",
		suites: []suite{usedMemory},
	},
	{
		name:   "a read into the cache's own object empties it",
		file:   "pkg/cache/copy.go",
		old:    " && from.UnsafePointer() != to.UnsafePointer()",
		new:    "",
		suites: []suite{usedMemory},
	},
	{
		name:   "the words of a missing index are others than client-go's",
		file:   "internal/store/errors.go",
		old:    `"Index with name %s does not exist"`,
		new:    `"index %q does not exist"`,
		suites: []suite{words, storesAlike},
	},
	{
		name:   "the words of a second index do not begin as client-go's do",
		file:   "internal/engine/informer.go",
		old:    "if err == nil || errors.Is(err, store.ErrIndexExists) {",
		new:    "if err == nil || errors.Is(err, errors.ErrUnsupported) {",
		suites: []suite{words},
	},
	{
		name:   "the words of a namespace that is not covered are others than controller-runtime's",
		file:   "pkg/cache/read.go",
		old:    `"unable to %s: %s because of unknown namespace for the cache: %w"`,
		new:    `"%s %s: %w"`,
		suites: []suite{words},
	},
	{
		name:   "a spread resync lasts for a period, whenever the next begins",
		file:   "internal/timetable/timetable.go",
		old:    "span: max(tick.until.Sub(now), 0)}",
		new:    "span: tick.Policy.Period}",
		suites: []suite{spreadRounds},
	},
}
