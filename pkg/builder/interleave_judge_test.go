//go:build !race

package builder_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/testing/promise"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// judge checks each call against what it has seen of the world itself. It knows nothing of
// how a ledger works.
type judge struct {
	play *play
	off  bool // it watches, and says nothing

	owed   []happening // requests were made for these, and no call that succeeded has begun since
	before int         // how many of them there were when the present call began
	shown  map[int]int // by watch, the newest version that a request was made for
	reads  promise.Reads[piece]
	lowest map[form]int // the oldest version that the present call can read
	last   answer       // of the last call
	known  bool         // a call has succeeded
	fails  int          // calls in a row that have failed

	broken string // what is wrong; empty while nothing is
	tally  *tally
}

// piece is what a reconciler makes of a path of the object in a form.
type piece struct {
	form form
	path string
}

// tally is what a walk comes to, which shows that it proves something.
type tally struct {
	states          int     // of the world
	ways            float64 // through them, from the beginning to an end
	calls, complete int
	untouched       int // answers that a path is not touched
	spared          int // of these, where the object had changed
	skipped         int // steps
	only            int // answers that there was a resync and no more
	retries, timers int // calls
}

func newJudge(p *play) *judge {
	return &judge{play: p, shown: map[int]int{}, lowest: map[form]int{}, tally: &tally{}}
}

func (j *judge) fail(format string, args ...any) {
	if !j.off && !j.play.over && j.broken == "" {
		j.broken = fmt.Sprintf(format, args...)
	}
}

// show notes that a request is about to be made for an event.
func (j *judge) show(e happening) {
	j.owed = append(slices.Clone(j.owed), e)
	j.shown[e.watch] = max(j.shown[e.watch], e.to)
}

// begin notes that a call begins. A reconciler can read, until it ends, what an informer has
// told its furthest watch, and everything newer: the store may be ahead of its watches, and
// the server of the store.
func (j *judge) begin(ctx context.Context) {
	told := delta.From(ctx)
	j.reads.Begin()
	j.lowest = map[form]int{}
	for _, w := range j.play.watches {
		j.lowest[w.how.form] = max(j.lowest[w.how.form], w.begun)
	}
	if !j.off && !j.play.over {
		j.count(told)
		j.checkTold(told)
		switch {
		case told.Complete():
			j.checkPromise(told)
		case j.known:
			j.fail("nothing was missed, and the changes lack something: %s", told)
		}
	}
	j.checkSteps(delta.Plan(ctx), told.Complete())
	j.before = len(j.owed)
}

// end notes what a call comes to.
func (j *judge) end(a answer) {
	j.last = a
	for f, from := range j.lowest {
		for version := max(1, from); version <= j.play.server; version++ {
			for _, path := range []string{pathP, pathQ} {
				j.reads.Add(piece{f, path}, j.read(path, version))
			}
		}
	}
	if j.fails++; a != fails && a != settlesAndFails {
		j.fails = 0
	}
	if a.deals() {
		j.known = true
		j.owed = slices.Clone(j.owed[j.before:])
		j.reads.Dealt()
	}
}

func (j *judge) count(told delta.Changes) {
	j.tally.calls++
	if told.Complete() {
		j.tally.complete++
	}
	if told.Attempt() > 1 {
		j.tally.retries++
	}
	if told.Has(delta.Timer) {
		j.tally.timers++
	}
}

// checkTold checks that a call is told the events since the last success that the request
// was made for.
func (j *judge) checkTold(told delta.Changes) {
	if told.Attempt() != j.fails+1 || told.Has(delta.Retry) != (j.fails > 0) {
		j.fail("attempt %d after %d failures: %s", told.Attempt(), j.fails, told)
	}
	newest := map[form]int{}
	var resync bool
	for _, e := range j.owed {
		resync = resync || e.resync
		f := j.play.watches[e.watch].how.form
		newest[f] = max(newest[f], e.to)
	}
	found := map[form]int{}
	for c := range told.All() {
		if c.Object() == nil {
			continue
		}
		f := whole
		if _, ok := c.Object().(*metav1.PartialObjectMetadata); ok {
			f = metadataAlone
		}
		version := versionIn(c.New)
		if !slices.ContainsFunc(j.owed, func(e happening) bool {
			return j.play.watches[e.watch].how.form == f && (e.to == version || version == 0 && e.from == versionIn(c.Old))
		}) {
			j.fail("told of %s, to version %d, which is not owed", c, version)
		}
		if version == 0 { // of a deletion that no event told of
			version = newest[f]
		}
		found[f] = max(found[f], version)
	}
	for f, version := range newest {
		if found[f] != version {
			j.fail("version %d was shown in form %d, and told was only up to %d", version, f, found[f])
		}
	}
	for _, w := range j.play.watches {
		owed := slices.ContainsFunc(j.owed, func(e happening) bool { return e.watch == w.number && !e.resync })
		if owed && !told.Has(w.how.cause) {
			j.fail("watch %d has shown something, and nothing has its cause", w.number)
		}
	}
	if resync && !told.Has(delta.Resync) {
		j.fail("a resync was shown, and is not told")
	}
}

func versionIn(obj delta.Object) int {
	if obj == nil {
		return 0
	}
	version, err := strconv.Atoi(obj.GetResourceVersion())
	if err != nil {
		panic(err)
	}
	return version
}

// checkPromise checks what a reconciler may rely on: that what is not touched is in the
// newest state that was shown as it was in every state that it could have seen.
func (j *judge) checkPromise(told delta.Changes) {
	all := j.play.watches
	for _, path := range []string{pathP, pathQ} {
		if !told.Touches(path) {
			j.tally.untouched++
			if slices.ContainsFunc(j.owed, func(e happening) bool { return !e.resync }) {
				j.tally.spared++
			}
			j.same(path, "Touches", all)
		}
		if !told.Of(&corev1.ConfigMap{}).Touches(path) {
			j.same(path, "Of", all)
		}
		if told.Only(delta.Sync) {
			j.tally.only++
			j.same(path, "Only", all)
		}
		for i, w := range all {
			if !told.By(w.how.cause).Touches(path) {
				j.same(path, fmt.Sprint("By", w.how.cause), all[i:i+1])
			}
			if !told.Has(w.how.cause) {
				j.same(path, fmt.Sprint("Has ", w.how.cause), all[i:i+1])
			}
		}
	}
}

// checkSteps checks the same of steps, which are judged change by change at a retry. Each call reaches all steps.
func (j *judge) checkSteps(plan delta.Step, complete bool) {
	for _, path := range []string{pathP, pathQ} {
		ran := false
		if err := plan.On(&corev1.ConfigMap{}, path).Do(path, func(context.Context) error { ran = true; return nil }); err != nil {
			j.fail("a step that does nothing fails: %v", err)
		}
		switch {
		case ran, j.off, j.play.over:
		case !complete:
			j.fail("a step was skipped, and the changes lack something")
		default:
			j.tally.skipped++
			j.same(path, "a step", j.play.watches)
		}
	}
}

// same checks the promise for a path, by the newest state that the watches have shown. An informer that is behind another one can show an old state to its readers, and
// will tell when it gets further. So each is judged by itself.
func (j *judge) same(path, why string, watches []*watch) {
	newest := map[form]int{}
	for _, w := range watches {
		newest[w.how.form] = max(newest[w.how.form], j.shown[w.number])
	}
	for f, version := range newest {
		if version == 0 { // nothing was shown
			continue
		}
		shown := j.read(path, version)
		if seen, wrong := j.reads.Outdated(piece{f, path}, shown); wrong {
			j.fail("by %s, %s is not touched; it was %s at version %d, which could have been read in form %d, and is %s at version %d, which was shown",
				why, path, seen.Value, seen.Version, f, shown.Value, version)
		}
	}
}

// read is what somebody reads who reads a version.
func (j *judge) read(path string, version int) promise.Read {
	return promise.Read{Version: int64(version), Value: j.play.history.moments[version-1].at(path)}
}

// rest is called when nothing can happen any more.
func (j *judge) rest() {
	if len(j.owed) > 0 && j.last != keeps {
		j.fail("everything is quiet, and no call has dealt with %v", j.owed)
	}
	if j.before < len(j.owed) {
		j.fail("everything is quiet, and no call was told of %v", j.owed[j.before:])
	}
}

func (t *tally) add(other tally) {
	t.states += other.states
	t.ways += other.ways
	t.calls += other.calls
	t.complete += other.complete
	t.untouched += other.untouched
	t.spared += other.spared
	t.skipped += other.skipped
	t.only += other.only
	t.retries += other.retries
	t.timers += other.timers
}
