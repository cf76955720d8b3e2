package source_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/ledger/writes"
	"github.com/delta-runtime/delta-runtime/internal/testing/informers"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	drpredicate "github.com/delta-runtime/delta-runtime/pkg/predicate"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
	ourcache "github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// podPredicate is a predicate of the controller in these tests.
type podPredicate = predicate.TypedPredicate[*podObject]

// counted is a handler that counts updates by pod.
func counted(updates map[string]int) funcs {
	return funcs{UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*podObject], _ queue) {
		updates[e.ObjectNew.Name]++
	}}
}

// choosy is a user's predicate that has the method Resync.
type choosy struct {
	predicate.TypedFuncs[*podObject]
	onDemand bool
}

func (c choosy) Resync(_ *podObject, terms delta.ResyncTerms) bool {
	return terms.OnDemand == c.onDemand
}

// noUpdates holds back updates, and nothing else.
var noUpdates = predicate.TypedFuncs[*podObject]{UpdateFunc: func(event.TypedUpdateEvent[*podObject]) bool { return false }}

// ofWeb chooses objects by their name.
var ofWeb = predicate.NewTypedPredicateFuncs(func(p *podObject) bool { return p.Name == "web" })

// shown is how often each of two pods should be shown in two resyncs: one by its period and
// one on demand.
type shown struct{ web, db int }

// resyncCases are predicates, and how often each of them lets the pods through.
func resyncCases() map[string]struct {
	p    podPredicate
	want shown
} {
	both, none, web := shown{2, 2}, shown{0, 0}, shown{2, 0}
	generation := predicate.TypedGenerationChangedPredicate[*podObject]{}
	resync := drpredicate.TypedNotResync[*podObject]()
	selected := func(name string) podPredicate {
		return predicate.NewTypedPredicateFuncs(func(p *podObject) bool { return p.Name == name })
	}
	type c = struct {
		p    podPredicate
		want shown
	}
	return map[string]c{
		// Predicates about updates do not decide about resyncs.
		"GenerationChanged":       {generation, both},
		"ResourceVersionChanged":  {predicate.TypedResourceVersionChangedPredicate[*podObject]{}, both},
		"LabelChanged":            {predicate.TypedLabelChangedPredicate[*podObject]{}, both},
		"ChangedAt":               {drpredicate.TypedChangedAt[*podObject]("spec"), both},
		"NotStatusOnly":           {drpredicate.TypedNotStatusOnly[*podObject](), both},
		"NotOwnWrite":             {drpredicate.TypedNotOwnWrite[*podObject](writes.New(0)), both},
		"no updates":              {noUpdates, both},
		"And of two of these":     {predicate.And[*podObject](generation, noUpdates), both},
		"Or of two of these":      {predicate.Or[*podObject](generation, predicate.TypedLabelChangedPredicate[*podObject]{}), both},
		"Not of one of these":     {predicate.Not[*podObject](generation), both},
		"not even of no creation": {predicate.Not[*podObject](predicate.And[*podObject](generation, noUpdates)), both},
		// Predicates that choose objects choose them here, too.
		"some objects":            {ofWeb, web},
		"And of these":            {predicate.And[*podObject](generation, ofWeb), web},
		"Or of these":             {predicate.Or(selected("none"), podPredicate(ofWeb)), web},
		"Or of either kind":       {predicate.Or[*podObject](generation, ofWeb), both},
		"Not of these":            {predicate.Not(selected("db")), web},
		"And of Not of these":     {predicate.And[*podObject](noUpdates, predicate.Not(selected("db"))), web},
		"nothing":                 {selected("none"), none},
		"nothing except creation": {predicate.TypedFuncs[*podObject]{UpdateFunc: noUpdates.UpdateFunc, GenericFunc: func(event.TypedGenericEvent[*podObject]) bool { return false }}, both},
		// A predicate can hold a resync back if it wants to.
		"NotResync":              {resync, none},
		"And of it":              {predicate.And[*podObject](generation, resync), none},
		"And of it, first":       {predicate.And(resync, podPredicate(ofWeb)), none},
		"Or of it":               {predicate.Or[*podObject](generation, resync), none},
		"Or of it and objects":   {predicate.Or[*podObject](generation, ofWeb, resync), web},
		"Not of it":              {predicate.Not(resync), both},
		"Not of it, and objects": {predicate.And[*podObject](generation, predicate.Not(resync), ofWeb), web},
		"Not of Not of it":       {predicate.Not(predicate.Not(resync)), none},
		"only on demand":         {choosy{onDemand: true}, shown{1, 1}},
		"the user's, in And":     {predicate.And[*podObject](generation, choosy{}, noUpdates), shown{1, 1}},
		"the user's, in Or":      {predicate.Or[*podObject](noUpdates, choosy{onDemand: true}, resync), shown{1, 1}},
		"the user's, in Not":     {predicate.Not(predicate.Or[*podObject](choosy{onDemand: true}, resync)), shown{1, 1}},
	}
}

// A resync reaches the handler whatever predicates say about updates: a resync by a policy of
// the source, by a policy of the kind, and on demand.
func TestPredicatesOfUpdatesDoNotHoldBackAResync(t *testing.T) {
	for name, tt := range resyncCases() {
		for _, where := range []string{"source", "kind", "source without a Period"} {
			t.Run(name+", "+where, func(t *testing.T) {
				inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
					pods := newInformer(server)
					server.Add(pod("web", "1"))
					server.Add(pod("db", "1"))
					run(pods.RunWithContext)
					updates := map[string]int{}
					k := ledgered(holding(pods), delta.NewLedger[request](delta.LedgerOptions{}), counted(updates))
					k.Predicates = []podPredicate{tt.p}
					policy := resync.Policy{Period: time.Hour}
					switch where {
					case "source":
						k.Resync = policy
					case "kind":
						setResync(t, pods, policy)
					default:
						setResync(t, pods, policy)
						k.Resync = resync.Policy{Spread: resync.AllAtOnce}
					}
					startedSynced(t, k, newQueue(t))
					time.Sleep(time.Hour + time.Minute)
					must(t, pods.Core().Resync(nil))
					synctest.Wait()
					if got := (shown{updates["web"], updates["db"]}); got != tt.want {
						t.Errorf("the handler was shown %+v, want %+v", got, tt.want)
					}
				})
			})
		}
	}
}

func setResync(t *testing.T, i informers.Informer, policy resync.Policy) {
	t.Helper()
	must(t, i.Core().SetScopeResync("", policy))
}

// controller-runtime's SyncPeriod shows updates. Predicates hold these back as in
// controller-runtime, unless the source has a setting about resyncs.
func TestPredicatesHoldBackASyncPeriod(t *testing.T) {
	for name, tt := range map[string]struct {
		policy resync.Policy
		p      podPredicate
		want   int
	}{
		"of updates":                   {resync.Policy{}, predicate.TypedGenerationChangedPredicate[*podObject]{}, 0},
		"of content":                   {resync.Policy{}, drpredicate.TypedChangedAt[*podObject]("spec"), 0},
		"of resyncs":                   {resync.Policy{}, drpredicate.TypedNotResync[*podObject](), 0},
		"none":                         {resync.Policy{}, predicate.TypedFuncs[*podObject]{}, 1},
		"the user's, of resyncs":       {resync.Policy{}, choosy{onDemand: true}, 1}, // the predicate does not decide about updates
		"with a policy of the source":  {resync.Policy{Spread: resync.OverPeriod}, noUpdates, 1},
		"with a word about predicates": {resync.Policy{Period: time.Hour, AsUpdate: true}, noUpdates, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
				pods := ourcache.NewSharedIndexInformer(server, &corev1.Pod{}, time.Hour, toolscache.Indexers{}).(informers.Informer)
				server.Add(pod("web", "1"))
				run(pods.RunWithContext)
				updates := map[string]int{}
				k := ledgered(holding(pods), nil, counted(updates))
				k.Predicates, k.Resync = []podPredicate{tt.p}, tt.policy
				startedSynced(t, k, newQueue(t))
				time.Sleep(2*time.Hour - time.Nanosecond) // each object has its own moment before that
				synctest.Wait()
				if updates["web"] != tt.want {
					t.Errorf("in its period it was shown %d times, want %d", updates["web"], tt.want)
				}
				must(t, pods.Core().Resync(nil))
				synctest.Wait()
				if asked := updates["web"] - tt.want; asked != 1 && name != "of resyncs" {
					t.Errorf("on demand it was shown %d times", asked)
				}
			})
		})
	}
}

// relisted makes the informer list again. There is no event of the API.
func relisted(server api) {
	server.ResetWatch()
	time.Sleep(time.Minute)
	synctest.Wait()
}

// listAgain lets the informer list again. Nothing has changed.
func listAgain(t *testing.T, pods informers.Informer) {
	t.Helper()
	must(t, pods.Core().Relist(t.Context()))
	synctest.Wait()
}

// An object that a relist shows unchanged is told as a relist, also if there are resyncs,
// with any period.
func TestARelistIsNoResync(t *testing.T) {
	for name, policy := range map[string]resync.Policy{
		"without a policy": {}, "never resynced": {Period: resync.Never}, "resynced": {Period: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
				pods := newInformer(server)
				server.Add(pod("web", "1"))
				run(pods.RunWithContext)
				ledger := delta.NewLedger[request](delta.LedgerOptions{})
				k := ledgered(holding(pods), ledger, forPods())
				k.Resync = policy
				startedSynced(t, k, newQueue(t))
				told(ledger, "web")
				listAgain(t, pods)
				if got := told(ledger, "web"); got != "Relist Sync 1→1" {
					t.Errorf("after a relist the ledger has %q", got)
				}
				must(t, pods.Core().Resync(nil))
				synctest.Wait()
				if got := told(ledger, "web"); got != "Resync Sync 1→1" {
					t.Errorf("after a resync the ledger has %q", got)
				}
				updates := map[string]int{}
				held := ledgered(holding(pods), nil, counted(updates))
				held.Predicates, held.Resync = []podPredicate{noUpdates}, policy
				startedSynced(t, held, newQueue(t))
				if listAgain(t, pods); updates["web"] != 0 {
					t.Error("a predicate of updates does not hold back a relist")
				}
			})
		})
	}
}

// An update from a relist may hide that a field was changed and changed back, and a
// reconciler may have read the state in between. So predicates that compare the two states do
// not hold it back.
func TestRelistedUpdatesPassWhatComparesContent(t *testing.T) {
	at, status := drpredicate.TypedChangedAt[*podObject]("spec"), drpredicate.TypedNotStatusOnly[*podObject]()
	generation := predicate.TypedGenerationChangedPredicate[*podObject]{}
	for name, tt := range map[string]struct {
		p               podPredicate
		event, relisted int // how often it is told an event, and an update from a relist
	}{
		"ChangedAt":            {at, 0, 1},
		"NotStatusOnly":        {status, 0, 1},
		"And":                  {predicate.And(at, status, podPredicate(ofWeb)), 0, 1},
		"And of what says no":  {predicate.And[*podObject](at, generation), 0, 0},
		"Or":                   {predicate.Or[*podObject](generation, at), 0, 1},
		"Not":                  {predicate.Not(at), 1, 1},
		"Not of Or":            {predicate.Not(predicate.Or(at, status)), 1, 1},
		"Not of Not":           {predicate.Not(predicate.Not(at)), 0, 1},
		"what counts":          {generation, 0, 0},
		"NotResync":            {drpredicate.TypedNotResync[*podObject](), 1, 1},
		"a path that is wrong": {drpredicate.TypedChangedAt[*podObject]("spec["), 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
				pods := newInformer(server)
				server.Add(pinned("1", "a"))
				run(pods.RunWithContext)
				updates := map[string]int{}
				k := ledgered(holding(pods), nil, counted(updates))
				k.Predicates = []podPredicate{tt.p}
				startedSynced(t, k, newQueue(t))
				ready := pinned("1", "a")
				ready.Status.Phase = corev1.PodRunning
				server.Modify(ready.DeepCopy())
				synctest.Wait()
				if updates["web"] != tt.event {
					t.Errorf("it was told an event of the status %d times, want %d", updates["web"], tt.event)
				}
				clear(updates)
				server.ModifyDropWatch(pinned("1", "b"))
				server.ModifyDropWatch(ready.DeepCopy())
				relisted(server)
				if updates["web"] != tt.relisted {
					t.Errorf("it was told an update from a relist %d times, want %d", updates["web"], tt.relisted)
				}
			})
		})
	}
}

// client-go's informers don't say why there is a Sync. In a resync they show the same object
// in memory twice, and in a relist the object from the new list.
func TestSyncsOfAForeignInformer(t *testing.T) {
	for name, tt := range map[string]struct {
		period         time.Duration
		resync, relist string
	}{
		"by its own period": {0, "", ""},
		"by the source's":   {time.Hour, "Resync Sync 1→1, incomplete", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pods := newFakeInformer()
				ledger := delta.NewLedger[request](delta.LedgerOptions{})
				k := ledgered(holding(pods), ledger, forPods())
				k.Resync.Period = tt.period
				k.Predicates = []podPredicate{noUpdates}
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				syncedIn(t, ctx, k, newQueue(t))
				before := &podObject{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "web", ResourceVersion: "1", Labels: map[string]string{"version": "1"}}}
				pods.Update(before, before)
				if got := strings.TrimPrefix(told(ledger, "web"), "incomplete"); got != tt.resync {
					t.Errorf("after a resync the ledger has %q, want %q", got, tt.resync)
				}
				pods.Update(before, before.DeepCopy())
				if got := strings.TrimPrefix(told(ledger, "web"), "incomplete"); got != tt.relist {
					t.Errorf("after a relist the ledger has %q, want %q", got, tt.relist)
				}
			})
		})
	}
}
