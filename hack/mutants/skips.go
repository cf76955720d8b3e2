package main

// These suites have to notice when a skip is not safe.
var (
	skipWorlds   = suite{pkg: "./test/skip", run: "^TestSkippingIsSafe$", seeds: 1000}
	skipLives    = suite{pkg: "./test/skip", run: "^TestSkippingIsSafeAcrossRestarts$", seeds: 1000}
	refusals     = suite{pkg: "./pkg/source", run: "^TestAStateThatATransformRefusedIsTouched$"}
	rawSources   = suite{pkg: "./pkg/builder", run: "^TestAStepOnAKindThatARawSourceMayShow$"}
	midCall      = suite{pkg: "./pkg/delta", run: "^TestAKindIsWatchedForTheCallsAfterItsList$"}
	lateWatches  = suite{pkg: "./pkg/builder", run: "^TestAWatchThatJoinsARunningController$"}
	laterLists   = suite{pkg: "./pkg/delta", run: "^TestAListThatComesAfterTheFirstCallIsAGap$"}
	endedWatches = suite{pkg: "./pkg/builder", run: "^TestAWatchThatEndsIsNoWatch$"}
	adrift       = suite{pkg: "./pkg/source", run: "^TestASuccessBeforeTheNextListIsNotTheEndOfAGap$"}
	whoseWrites  = suite{pkg: "./pkg/delta", run: "^TestManagerCreditsNobodyForWhatIsNotHis$"}
)

// Each fault in skips tells a reconciler too little, so that it skips work that it has to do.
// Random operators in random worlds have to notice each of them.
var skips = []mutant{
	{
		name:   "what a slower watch shows makes New go back",
		file:   "pkg/delta/change_fold.go",
		old:    "default:\n\t\treturn elsewhere",
		new:    "default:\n\t\treturn behind",
		suites: []suite{skipWorlds},
	},
	{
		name:   "changes fold that do not continue each other",
		file:   "pkg/delta/change_fold.go",
		old:    "default:\n\t\treturn elsewhere",
		new:    "default:\n\t\treturn behind",
		also:   []edit{{"pkg/delta/change_fold.go", "\t\tremember(c, next.Old)\n", ""}},
		suites: []suite{skipWorlds},
	},
	{
		name:   "the states in between are forgotten",
		file:   "pkg/delta/change_fold.go",
		old:    "c.between = append(slices.Clip(c.between), state)",
		new:    "_ = state",
		suites: []suite{skipWorlds},
	},
	{
		name:   "a step that the last success did not reach is done",
		file:   "pkg/delta/step_reason.go",
		old:    "	case !done:\n",
		new:    "	case !done && false:\n",
		suites: []suite{skipWorlds, stepStories},
	},
	{
		name:   "a step that failed is done",
		file:   "pkg/delta/step_done.go",
		old:    "undone := func(id stepID) bool { return named(r.undone, id) }",
		new:    "undone := func(stepID) bool { return false }",
		suites: []suite{skipWorlds, stepStories},
	},
	{
		name:   "an object is taken for the earlier one of its name",
		file:   "pkg/delta/stream.go",
		old:    "c.begins = d.stream.byKey &&",
		new:    "c.begins = false &&",
		suites: []suite{newObjects},
	},
	{
		name:   "metadata alone shows that the rest is as it was",
		file:   "pkg/diff/touches.go",
		old:    "if d.unseen() && !withinOne(field, shownByMetadata) {",
		new:    "if d.unseen() && !withinOne(field, shownByMetadata) && false {",
		suites: []suite{skipWorlds},
	},
	{
		name:   "RequeueAfter is a success",
		file:   "pkg/builder/ledger.go",
		old:    "return ledger.Unfinished\n",
		new:    "return ledger.SucceededWithTimer\n",
		suites: []suite{skipWorlds},
	},
	{
		name:   "Of and By leave out what may have been meant",
		file:   "pkg/delta/changes.go",
		old:    "case c.complete && (!known || unattributed(change)):",
		new:    "case c.complete && (!known || unattributed(change)) && false:",
		suites: []suite{skipWorlds},
	},
	{
		name:   "Of and By leave out that this is a retry",
		file:   "pkg/delta/changes.go",
		old:    "all := c.list\n\tc.list = nil\n",
		new:    "all := c.list\n\tc.list, c.retry = nil, false\n",
		suites: []suite{skipWorlds},
	},
	{
		name:   "a misspelt path is not touched",
		file:   "pkg/delta/asked.go",
		old:    "ok = false\n\t\t\tcontinue",
		new:    "continue",
		suites: []suite{skipWorlds},
	},
	{
		name:   "a field that nobody has heard of is not touched",
		file:   "pkg/diff/touches.go",
		old:    "return d.touches(field) || d.unheardOf(field)",
		new:    "return d.touches(field)",
		suites: []suite{skipWorlds},
	},
	{
		name:   "a predicate with a misspelt path holds everything back",
		file:   "pkg/predicate/changed_at_paths.go",
		old:    "if p.complain(wrong) {",
		new:    "if p.complain(wrong) && false {",
		suites: []suite{skipWorlds},
	},
	{
		name:   "a write is credited to the writer before",
		file:   "pkg/delta/manager.go",
		old:    "if known(latest[0]) {",
		new:    "if known(latest[0]) && false {",
		suites: []suite{whoseWrites},
	},
	{
		name:   "a resync rules out what it does not show",
		file:   "pkg/delta/touches.go",
		old:    "|| c.doubt || c.looks() {",
		new:    "|| c.doubt {",
		suites: []suite{skipWorlds},
	},
	{
		name: "another object with the same content is the same",
		file: "pkg/diff/touches.go",
		old:  "return d.before != nil && d.after != nil && !path.SameObject(d.before, d.after)",
		new:  "return false",
		also: []edit{ // only a relist exchanges objects, and then everything is touched
			{"pkg/delta/touches.go", "c.unsure, c.Relisted, c.Missed", "c.unsure, c.Relisted && path.SameObject(c.Old, c.New), c.Missed"},
			{"pkg/delta/touches.go", "|| c.doubt || c.looks() {", "|| c.looks() || c.doubt && !slices.ContainsFunc(c.list, func(c Change) bool { return isUpdate(&c) && !path.SameObject(c.Old, c.New) }) {"},
		},
		suites: []suite{skipWorlds},
	},
	{
		name: "what is hidden of a created object is not touched",
		file: "pkg/diff/holds.go",
		old:  "return v.IsString() && v.AsString() == hidden",
		new:  "return false",
		also: []edit{{ // without this edit creations touch everything
			"pkg/delta/touches.go", "case !isUpdate(c), c.unsure,",
			"case (c.Op == Added || c.Op == Deleted) && c.Object() != nil && !c.unsure && !c.Missed:\n" +
				"return c.Diff().TouchesAny(paths)\ncase !isUpdate(c), c.unsure,",
		}},
		suites: []suite{skipWorlds},
	},
	{
		name:   "a panic of a handler does not count as a gap",
		file:   "pkg/source/attribution.go",
		old:    "if !t.whole {",
		new:    "if !t.whole && false {",
		suites: []suite{skipWorlds},
	},
	{
		name:   "a gap ends when a reconciler succeeds in it",
		file:   "internal/engine/fifo_inlet.go",
		old:    "if omitted && in.gaps != nil {",
		new:    "if omitted && in.gaps != nil && false {",
		suites: []suite{refusals},
	},
	{
		name:   "one arrival stands for all",
		file:   "pkg/delta/books.go",
		old:    "a.arrivals.landed++",
		new:    "a.arrivals.landed = 1",
		suites: []suite{skipWorlds},
	},
	{
		name: "a key with dots is found in brackets alone",
		file: "internal/path/match.go",
		old:  `if key.Kind != Named || !strings.Contains(key.Name, ".") {`,
		new:  `if key.Kind != Named || !strings.Contains(key.Name, ".") || true {`,
		also: []edit{{ // without this edit the path can't exist
			"internal/path/check.go", `return nil, *s, fmt.Sprintf("%s is %s and has nothing below it", here(at), c.scalar)`,
			`return unknownSlot{}, *s, ""`,
		}},
		suites: []suite{skipWorlds},
	},
	{
		name:   "a resync that comes with a change is not told",
		file:   "pkg/delta/change_fold.go",
		old:    "c.causes = causesOf(c) | causesOf(next)",
		new:    "if next.Op != Sync { c.causes = causesOf(c) | causesOf(next) }",
		suites: []suite{skipWorlds},
	},
	{
		name:   "a newborn is completely known",
		file:   "pkg/delta/books.go",
		old:    "case !succeeded:\n\t\treturn firstTime",
		new:    "case !succeeded && !slices.ContainsFunc(a.pending, func(c Change) bool { return c.Op == Added && c.Is(Primary) }):\n\t\treturn firstTime",
		suites: []suite{ledgerStories, skipLives},
	},
	{
		name:   "a raw source may show any kind",
		file:   "pkg/builder/plan.go",
		old:    "p.ledger.Clerk().OnlyListed()",
		new:    "if len(p.raw) == 0 {\n\t\t\tp.ledger.Clerk().OnlyListed()\n\t\t}",
		suites: []suite{rawSources},
	},
	{
		name:   "a call goes by what is listed while it is at work",
		file:   "pkg/delta/listed.go",
		old:    "next.listed[at].by += more",
		new:    "next.listed[at].by += more\n\t*l.tells = next",
		suites: []suite{midCall},
	},
	{
		name:   "a watch that has ended goes on",
		file:   "pkg/source/attribution.go",
		old:    "a.ledger.Clerk().Unlisted(a.ofTheKind())",
		new:    "_ = a.ofTheKind()",
		suites: []suite{endedWatches},
	},
	{
		name:   "a source without an informer has one gap",
		file:   "pkg/source/attribution.go",
		old:    "a.adrift.Store(true)",
		new:    "a.adrift.Store(false)",
		suites: []suite{adrift},
	},
	{
		name:   "a list that comes late makes no gap",
		file:   "pkg/delta/listed.go",
		old:    "if l.begun {",
		new:    "if l.begun && false {",
		suites: []suite{lateWatches, laterLists},
	},
	{
		name:   "a source does not follow the next informer",
		file:   "pkg/source/session.go",
		old:    "return ctx.Err() == nil, nil",
		new:    "return false, nil",
		suites: []suite{skipWorlds},
	},
}
