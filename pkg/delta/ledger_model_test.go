package delta_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestLedgerAgainstModel plays random sources and workers against a ledger, and against
// a model that keeps every delta of every request until a success.
func TestLedgerAgainstModel(t *testing.T) {
	seeds.Run(t, 300, func(t *testing.T, rng *rand.Rand) {
		newLedgerGame(rng, delta.LedgerLimits{}).play(t, 400)
	})
}

// TestLedgerWithinLimits does so with limits that are reached all the time: what is
// told may be less than what was, but then it has to say so.
func TestLedgerWithinLimits(t *testing.T) {
	seeds.Run(t, 300, func(t *testing.T, rng *rand.Rand) {
		g := newLedgerGame(rng, delta.LedgerLimits{
			PerRequest: 1 + rng.IntN(4), Changes: 2 + rng.IntN(12), Requests: 1 + rng.IntN(5), Remembered: 2 + rng.IntN(6),
		})
		g.tight = true
		g.play(t, 400)
	})
}

type ledgerGame struct {
	rng      *rand.Rand
	ledger   *delta.Ledger[string]
	limits   delta.LedgerLimits
	tight    bool
	requests map[string]*modelRequest
	objects  map[string]*metav1.PartialObjectMetadata
	version  int
	gaps     uint64
}

// modelRequest is all that ever happened for a request since it last succeeded.
type modelRequest struct {
	since    []delta.Change // in the order in which they were recorded
	told     int            // how many of since the worker has been told
	flying   int            // recorded and not landed
	failures int
	known    bool // it has succeeded, and nothing was missed since
	lossy    bool // something of since may be missing
	owed     bool // at some time by a timer
	landed   int  // adds that the queue may not have handed out: it hands out several at once
	news     bool // something was recorded since the worker had the request
	byTimer  bool
	running  bool
	loose    bool // something was recorded, and nobody knows for what object
	gapsThen uint64
	doubt    bool // it may be taken to be less known than it is: a gap is noticed late
}

func newLedgerGame(rng *rand.Rand, limits delta.LedgerLimits) *ledgerGame {
	g := &ledgerGame{
		rng: rng, limits: limits, ledger: delta.NewLedger[string](delta.LedgerOptions{LedgerLimits: limits}),
		requests: map[string]*modelRequest{}, objects: map[string]*metav1.PartialObjectMetadata{},
	}
	for i := range 6 {
		g.requests[fmt.Sprint("r", i)] = &modelRequest{}
	}
	g.ledger.Gaps(func() uint64 { return g.gaps })
	return g
}

func (g *ledgerGame) play(t *testing.T, steps int) {
	t.Helper()
	for range steps {
		name := fmt.Sprint("r", g.rng.IntN(len(g.requests)))
		r := g.requests[name]
		switch p := g.rng.IntN(100); {
		case p < 55:
			g.record(name, r)
		case p < 60 && r.flying > 0:
			g.land(name, r)
		case p < 85 && !r.running:
			g.take(t, name, r)
		case p < 99 && r.running:
			g.settle(name, r)
		case p == 99:
			g.miss()
		}
		if t.Failed() {
			return
		}
	}
	if status := g.ledger.Status(); g.tight && (status.Changes > g.limits.Changes+g.limits.PerRequest || status.Requests > g.limits.Requests || status.Remembered > g.limits.Remembered+1) {
		t.Errorf("the ledger holds %+v, its limits are %+v", status, g.limits)
	}
}

// happen makes something happen to an object.
func (g *ledgerGame) happen() delta.Change {
	name := fmt.Sprint("o", g.rng.IntN(5))
	old := g.objects[name]
	g.version++
	now := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: fmt.Sprint(g.version)}}
	c := delta.Change{
		Cause: []delta.Cause{delta.Primary, delta.Owned, delta.Mapped}[g.rng.IntN(3)],
		Kind:  schema.GroupVersionKind{Version: "v1", Kind: "Thing"}, Key: delta.Key{Name: name}, New: now,
	}
	switch p := g.rng.IntN(20); {
	case p == 0:
		return delta.Change{Cause: delta.External}
	case p == 1:
		c.Cause = delta.Generic
		return c
	case old == nil:
		now.UID = types.UID(fmt.Sprint(g.version))
		c.Op = delta.Added
		if g.rng.IntN(10) == 0 {
			c.Cause = delta.InitialList
		}
	case p == 2:
		now.UID, c.Op, c.Old = old.UID, delta.Deleted, old
		g.objects[name] = nil
		return c
	case p < 7:
		c.Cause, c.Op, c.Old, c.New = delta.Resync, delta.Sync, old, old
		return c
	default:
		now.UID, c.Op, c.Old = old.UID, delta.Updated, old
		if g.rng.IntN(30) == 0 {
			now.UID = types.UID(fmt.Sprint("n", g.version)) // a relist shows only that it is another one now
		}
	}
	g.objects[name] = now
	return c
}

func (g *ledgerGame) record(name string, r *modelRequest) {
	c := g.happen()
	g.ledger.Record(name, c)
	r.since, r.news = append(r.since, c), true
	r.loose = r.loose || c.Cause == delta.External
	r.flying++
	if g.rng.IntN(4) > 0 {
		g.land(name, r)
	}
}

func (g *ledgerGame) land(name string, r *modelRequest) {
	r.flying--
	if g.rng.IntN(8) == 0 {
		r.owed = true
		g.ledger.LandedLater(name)
		return
	}
	r.landed++
	g.ledger.Landed(name)
}

func (g *ledgerGame) miss() {
	g.gaps++
	for _, r := range g.requests {
		r.known, r.doubt = false, true
		r.lossy = r.lossy || len(r.since) > 0 || r.running || r.failures > 0
	}
}

func (g *ledgerGame) take(t *testing.T, name string, r *modelRequest) {
	t.Helper()
	fresh := r.since[r.told:]
	lossy := r.lossy || !r.known && r.failures == 0
	lossy = lossy || slices.ContainsFunc(r.since, func(c delta.Change) bool { return c.Cause == delta.InitialList })
	r.byTimer = len(fresh) == 0 && r.failures == 0
	explained := r.owed || r.flying > 0 || r.landed > 0
	lossy = lossy || r.byTimer && !explained && !g.tight
	if !r.news && r.landed == 0 && r.flying == 0 {
		r.owed = false // this is what the timer was for
	}
	r.landed = min(max(0, r.landed-1), 1) // one may have come when this one had been handed out
	r.news = false
	r.lossy, r.told, r.running, r.gapsThen = lossy, len(r.since), true, g.gaps

	got := g.ledger.Take(name)
	if got.Complete() && lossy || !got.Complete() && !lossy && !g.tight && !r.doubt {
		t.Errorf("%s: Complete is %v (%s), want %v; it was %s", name, got.Complete(), got.Incomplete(), !lossy, r.since)
	}
	if got.Complete() != (got.Incomplete() == "") {
		t.Errorf("%s: Complete is %v, but Incomplete is %q", name, got.Complete(), got.Incomplete())
	}
	if g.tight && (!got.Complete() || r.byTimer) { // who asked for it may be forgotten, too
		return
	}
	if got.Attempt() != r.failures+1 {
		t.Errorf("%s: attempt %d, want %d", name, got.Attempt(), r.failures+1)
	}
	told := slices.Collect(got.All())
	switch {
	case r.failures > 0:
		told = wantFirst(t, told, delta.Retry)
	case r.byTimer && explained:
		told = wantFirst(t, told, delta.Timer)
		if last := len(told) - 1; last >= 0 && told[last].Cause == delta.External && r.loose { // the timer may have been for that
			told = told[:last]
		}
	}
	checkTold(t, told, r.since)
}

func wantFirst(t *testing.T, told []delta.Change, cause delta.Cause) []delta.Change {
	t.Helper()
	if len(told) == 0 || told[0].Cause != cause || told[0].Object() != nil {
		t.Errorf("told %s, want a %s first", told, cause)
		return told
	}
	return told[1:]
}

// checkTold takes the deltas apart by object, and looks that what was told of each is
// what they come to.
func checkTold(t *testing.T, told, since []delta.Change) {
	t.Helper()
	deltas := 0
	for _, c := range told {
		deltas += c.Deltas
	}
	if deltas != len(since) {
		t.Fatalf("told of %d deltas, want %d:\n%s\nof %s", deltas, len(since), told, since)
	}
	for _, of := range told {
		var whole, parts []delta.Change
		for _, c := range told {
			if c.Key == of.Key && c.Kind == of.Kind {
				parts = append(parts, c)
			}
		}
		for _, c := range since {
			if c.Key == of.Key && c.Kind == of.Kind {
				whole = append(whole, c)
			}
		}
		for _, part := range parts {
			checkPart(t, part, whole[:part.Deltas])
			whole = whole[part.Deltas:]
		}
	}
}

func version(o delta.Object) string {
	if o == nil {
		return "none"
	}
	return o.GetResourceVersion()
}

// checkPart compares one told change with the deltas that it was made of.
func checkPart(t *testing.T, part delta.Change, of []delta.Change) {
	t.Helper()
	first, last := of[0], of[len(of)-1]
	for i := 0; first.Op == delta.Sync && i < len(of); i++ { // a resync does not begin anything
		first = of[i]
	}
	if of[0].Op == delta.Added || of[0].Op == delta.Deleted { // stays as it was
		last = of[0]
	}
	if version(part.Old) != version(first.Old) || version(part.New) != version(last.New) {
		t.Errorf("%s is from %s to %s, want it from %s to %s", part, version(part.Old), version(part.New), version(first.Old), version(last.New))
	}
	causes, ops := map[delta.Cause]bool{}, map[delta.Op]int{}
	for i, c := range of {
		causes[c.Cause] = true
		ops[c.Op]++
		if i > 0 && (c.Op == delta.Added || c.Op == delta.Deleted) {
			t.Errorf("%s hides that something began or ended: %s", part, of)
		}
		if i > 0 && c.Op == delta.Updated && c.Old.GetUID() != c.New.GetUID() {
			t.Errorf("%s hides that another object took the name: %s", part, of)
		}
	}
	if !causes[part.Cause] || ops[part.Op] == 0 {
		t.Errorf("%s says what none of its deltas said: %s", part, of)
	}
	if part.Op == delta.Sync && ops[delta.Sync] < len(of) {
		t.Errorf("%s hides that there was more than a resync: %s", part, of)
	}
}

func (g *ledgerGame) settle(name string, r *modelRequest) {
	r.running = false
	if g.rng.IntN(3) == 0 {
		g.ledger.Settle(name, delta.Failed)
		r.failures++
		r.told, r.owed = 0, true
		return
	}
	how := delta.Succeeded
	if g.rng.IntN(4) == 0 {
		how = delta.SucceededWithTimer
	}
	g.ledger.Settle(name, how)
	r.owed = r.owed || how == delta.SucceededWithTimer
	r.since = slices.Clone(r.since[r.told:])
	if len(r.since) == 0 && r.flying == 0 {
		r.owed, r.landed = r.owed || r.landed > 0, 0
	}
	r.known = r.gapsThen == g.gaps
	r.doubt = !r.known
	r.lossy = !r.known && len(r.since) > 0
	r.told, r.failures = 0, 0
}
