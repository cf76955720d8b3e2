//go:build !race

// The walks take one step at a time, and wait until nothing runs before the next one. The race
// detector has nothing to find in them, and makes them ten times slower.

package builder_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// scope is a small world: one object, one request, one worker, and two watches.
type scope struct {
	moments  []moment
	watches  []watching
	fine     bool // steps interleave in the middle of deliveries and calls, too
	failures int  // how many calls may end otherwise than with success
	relists  int  // how often an informer may list again
	resyncs  int  // how often a watch may be shown what it knows
}

// watching is how a watch is.
type watching struct {
	form   form
	cause  delta.Cause
	hides  []int // versions that a predicate holds back
	keeps  []int // versions at which the handler keeps its queue, to add to it later
	others []int // versions at which the object is for another request
	deltas bool  // its handler is given deltas
}

// histories are what the object is, version by version. At the first one the reconciler has
// succeeded already.
var histories = map[string][]moment{
	"there-and-back": {{"A", "1", 1}, {"B", "1", 1}, {"A", "1", 1}},
	"onwards":        {{"A", "1", 1}, {"B", "1", 1}, {"C", "1", 1}},
	"one-then-other": {{"A", "1", 1}, {"A", "2", 1}, {"B", "2", 1}},
	"another-life":   {{"A", "1", 1}, {}, {"A", "1", 2}},
	"born":           {{}, {"A", "1", 1}, {"B", "1", 1}, {"A", "1", 1}},
}

// watchings are how the controller's watches are.
var watchings = map[string][]watching{
	"plain":      {{cause: delta.Primary}, {cause: delta.Mapped}},
	"hides":      {{cause: delta.Primary, hides: []int{2}}, {cause: delta.Mapped}},
	"both-hide":  {{cause: delta.Primary, hides: []int{2}}, {cause: delta.Mapped, hides: []int{2}}},
	"hides-all":  {{cause: delta.Primary, hides: []int{2, 3}}, {cause: delta.Mapped, hides: []int{3}}},
	"metadata":   {{cause: delta.Primary}, {cause: delta.Mapped, form: metadataAlone}},
	"keeps":      {{cause: delta.Primary}, {cause: delta.Mapped, keeps: []int{2}}},
	"keeps-all":  {{cause: delta.Owned, keeps: []int{2, 3}}, {cause: delta.Mapped, keeps: []int{2, 3}}},
	"others":     {{cause: delta.Owned}, {cause: delta.Mapped, others: []int{2}}},
	"others-all": {{cause: delta.Owned, others: []int{2}}, {cause: delta.Mapped, others: []int{2}}},
	"deltas":     {{cause: delta.Primary}, {cause: delta.Mapped, deltas: true}},
}

// walks are which histories go with which watches, and what else there is.
var walks = []struct {
	histories, watchings string
	with                 scope
	usual                bool // it is short
}{
	{"there-and-back", "plain", scope{failures: 1}, true},
	{"one-then-other", "hides others others-all", scope{failures: 1}, true},
	{"another-life", "hides both-hide", scope{failures: 1}, true},
	{"there-and-back", "keeps metadata deltas", scope{}, true},
	{"there-and-back", "hides", scope{relists: 1}, true},
	{"one-then-other", "hides", scope{resyncs: 1}, true},
	{"another-life", "hides", scope{fine: true}, true},

	{"there-and-back", "hides plain", scope{fine: true}, false},
	{"there-and-back born", "hides-all", scope{resyncs: 1}, false},
	{"onwards one-then-other another-life", "plain hides metadata keeps deltas", scope{failures: 1}, false},
	{"there-and-back", "plain deltas metadata hides", scope{failures: 2}, false},
	{"there-and-back", "keeps keeps-all", scope{failures: 1}, false},
	{"one-then-other", "plain metadata", scope{fine: true}, false},
	{"there-and-back", "keeps", scope{fine: true}, false},
	{"there-and-back another-life", "plain metadata deltas hides-all keeps", scope{relists: 1}, false},
	{"there-and-back another-life", "plain metadata deltas keeps", scope{resyncs: 1}, false},
	{"another-life", "plain hides metadata", scope{relists: 1, resyncs: 1}, false},
	{"born", "plain hides metadata others-all", scope{}, false},
}

const (
	usual = 30
	// some is how many seeds somebody asks for who wants more than is usual.
	some = 100
	// many is how many make model plays. The whole walk takes minutes.
	many = 1000
)

// TestInterleavings walks through all interleavings of small worlds. In each, a judge that
// knows nothing of ledgers looks at what every call is told.
func TestInterleavings(t *testing.T) {
	whole := seeds.Count(t, usual) >= many
	var all tally
	for i, w := range walks {
		if !w.usual && !whole {
			continue
		}
		for history := range strings.FieldsSeq(w.histories) {
			for watching := range strings.FieldsSeq(w.watchings) {
				s := w.with
				s.moments, s.watches = histories[history], watchings[watching]
				t.Run(strings.Join([]string{history, watching, s.name()}, "/"), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						found := s.through(t)
						t.Logf("%+v", found)
						all.add(found)
						if found.calls == 0 || found.complete < found.calls/2 {
							t.Errorf("walk %d: of %d calls %d are complete, which proves little", i, found.calls, found.complete)
						}
					})
				})
			}
		}
	}
	t.Logf("all: %+v", all)
	if all.states < 10000 || all.ways < 1e6 || all.untouched < 2000 || all.spared < 1000 || all.skipped < 2000 ||
		all.only < 100 || all.retries < 500 || all.timers < 200 {
		t.Errorf("so little proves nothing: %+v", all)
	}
}

// name says what there is beside the watches.
func (s *scope) name() string {
	name := "coarse"
	if s.fine {
		name = "fine"
	}
	return fmt.Sprintf("%s-%d-failures-%d-relists-%d-resyncs", name, s.failures, s.relists, s.resyncs)
}

// Worlds that are taken for the same state go on alike: those that are not taken for the same
// have as many ways to an end.
func TestStatesSayEverything(t *testing.T) {
	scopes := []scope{
		{moments: histories["there-and-back"], watches: watchings["both-hide"], failures: 1},
		{moments: histories["one-then-other"], watches: watchings["others"]},
	}
	if seeds.Count(t, usual) >= some {
		scopes = append(scopes, scope{moments: histories["another-life"], watches: watchings["hides-all"], failures: 1})
	}
	for _, s := range scopes {
		synctest.Test(t, func(t *testing.T) {
			together := s.through(t)
			apart := &walk{scope: &s, apart: true}
			apart.run()
			t.Logf("%d states apart, %d together, %v ways", apart.tally.states, together.states, together.ways)
			if apart.broken != "" {
				t.Fatal(apart.broken)
			}
			if float64(apart.ends) != together.ways {
				t.Errorf("there are %d ways, and %v through the states", apart.ends, together.ways)
			}
		})
	}
}
