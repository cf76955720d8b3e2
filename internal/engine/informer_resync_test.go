package engine

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// crowd is a server with many things, which change when told to.
type crowd struct {
	events chan listwatch.Event[faulty.Thing]
	slow   time.Duration // how long a list takes

	mu     sync.Mutex // guards everything below
	things []faulty.Thing
	lists  []string // versions that were asked for
}

func newCrowd(n int) *crowd {
	c := &crowd{events: make(chan listwatch.Event[faulty.Thing])}
	for _, key := range someKeys(n) {
		c.things = append(c.things, faulty.Thing{Name: key.Name, Version: "1"})
	}
	return c
}

func (c *crowd) List(_ context.Context, opts metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	time.Sleep(c.slow)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lists = append(c.lists, opts.ResourceVersion)
	return listwatch.Page[faulty.Thing]{Version: "1", Items: slices.Clone(c.things)}, nil
}

func (c *crowd) Watch(context.Context, metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	return c, nil
}

func (c *crowd) Next(ctx context.Context) (listwatch.Event[faulty.Thing], error) {
	select {
	case e := <-c.events:
		return e, nil
	case <-ctx.Done():
		return listwatch.Event[faulty.Thing]{}, ctx.Err()
	}
}

func (c *crowd) Close() {}

var numberedTraits = store.Traits[faulty.Thing]{
	Key: faulty.KeyOf, Version: thingTraits.Version, UID: thingTraits.UID,
	Labels: func(t faulty.Thing) map[string]string { return numberLabels(delta.Key{Name: t.Name}) },
}

// observed is a subscriber that counts its Syncs.
type observed struct {
	*Subscription[faulty.Thing]

	mu    sync.Mutex // guards everything below
	syncs map[delta.Key]int
	at    []time.Duration // since the start
	why   map[delta.ResyncTerms]int
	other int // deltas other than Syncs, except those of the first list
}

// resyncRig runs an informer of a crowd in a bubble.
type resyncRig struct {
	*testing.T
	*Informer[faulty.Thing]
	server *crowd
	began  time.Time
}

func withCrowd(t *testing.T, n int, policy resync.Policy, test func(*resyncRig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := newCrowd(n)
		server.slow = time.Second
		i, err := NewScoped([]Scope[faulty.Thing]{{ListWatcher: server, Resync: policy}}, Options[faulty.Thing]{
			Name: "things", Traits: numberedTraits,
			Reflector: reflector.Options[faulty.Thing]{Settings: informer.Settings{Lists: informer.PagesOnly}},
		})
		if err != nil {
			t.Fatal(err)
		}
		start(t, i)
		<-i.Synced()
		synctest.Wait()
		test(&resyncRig{t, i, server, time.Now()})
	})
}

func (r *resyncRig) observe(policy resync.Policy) *observed {
	r.Helper()
	o := &observed{syncs: map[delta.Key]int{}, why: map[delta.ResyncTerms]int{}}
	s, err := r.Subscribe(func(d *delta.Delta[faulty.Thing]) {
		o.mu.Lock()
		defer o.mu.Unlock()
		switch {
		case d.Op == delta.Sync && d.Resync() != nil:
			o.syncs[d.Key]++
			o.at = append(o.at, time.Since(r.began))
			o.why[*d.Resync()]++
		case !d.Initial:
			o.other++
		}
	}, informer.SubscribeOptions{Resync: policy})
	if err != nil {
		r.Fatal(err)
	}
	o.Subscription = s
	synctest.Wait()
	return o
}

// take returns how many Syncs there were since it was called last, and how many for
// the things of odd numbers.
func (o *observed) take() (all, odds int) {
	synctest.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, n := range o.syncs {
		all += n
		if odd.Matches(numberLabels(key)) {
			odds += n
		}
	}
	clear(o.syncs)
	clear(o.why)
	o.at = nil
	return all, odds
}

func (r *resyncRig) expect(what string, o *observed, all, odds int) {
	r.Helper()
	if gotAll, gotOdds := o.take(); gotAll != all || gotOdds != odds {
		r.Errorf("%s: %d Syncs and %d of odd things, want %d and %d", what, gotAll, gotOdds, all, odds)
	}
}

func (r *resyncRig) set(policy resync.Policy) {
	r.Helper()
	if err := r.SetScopeResync("", policy); err != nil {
		r.Fatal(err)
	}
}

// A changed policy is in effect within a second, for those who follow it and nobody
// else.
func TestChangedPolicyIsInEffectWithinASecond(t *testing.T) {
	withCrowd(t, 1000, resync.Policy{Period: 10 * time.Hour}, func(r *resyncRig) {
		follows, own, never := r.observe(resync.Policy{}), r.observe(resync.Policy{Period: time.Hour}), r.observe(resync.Policy{Period: resync.Never})
		time.Sleep(30*time.Minute + time.Second)
		r.set(resync.Policy{Period: 30 * time.Minute, Selector: odd, OnlyIfNotReconciledFor: 2 * time.Minute})
		time.Sleep(time.Second)
		synctest.Wait()
		if want := (delta.ResyncTerms{OnlyIfNotReconciledFor: 2 * time.Minute}); len(follows.why) != 1 || follows.why[want] != 500 {
			t.Errorf("the Syncs say that they are by %v, want %v", follows.why, want)
		}
		r.expect("a second after it was changed", follows, 500, 500)
		r.expect("by its own policy", own, 0, 0)
		time.Sleep(30 * time.Minute)
		r.expect("a period later", follows, 500, 500)
		r.expect("by its own policy, when its hour is over", own, 1000, 500)
		r.set(resync.Policy{Period: resync.Never})
		time.Sleep(time.Hour)
		r.expect("when it is off", follows, 0, 0)
		r.expect("by its own policy, always", own, 1000, 500)
		r.set(resync.Policy{Period: time.Minute, Spread: resync.OverPeriod})
		time.Sleep(time.Second)
		if all, _ := follows.take(); all == 0 || all > 50 {
			t.Errorf("%d Syncs in the first second of a minute, want about 17", all)
		}
		r.expect("never", never, 0, 0)
		if follows.other+own.other+never.other > 0 {
			t.Error("a resync was told as something else")
		}
	})
}

// A run that is under way goes on by the new policy, and shows each thing once.
func TestPolicyChangesInTheMiddleOfARun(t *testing.T) {
	const n = 1000
	spread := resync.Policy{Period: 100 * time.Minute, Spread: resync.OverPeriod}
	for name, tt := range map[string]struct {
		to    resync.Policy
		after time.Duration // when all is to be shown that is left
		all   bool          // or only what is odd
	}{
		"a shorter period": {resync.Policy{Period: 60 * time.Minute, Spread: resync.OverPeriod}, 10 * time.Minute, true},
		"a longer period":  {resync.Policy{Period: 1000 * time.Minute, Spread: resync.OverPeriod}, 950 * time.Minute, true},
		"all at once":      {resync.Policy{Period: 100 * time.Minute}, time.Second, true},
		"at a rate":        {resync.Policy{Period: 100 * time.Minute, Rate: 1}, 10 * time.Minute, true},
		"another selector": {resync.Policy{Period: 100 * time.Minute, Spread: resync.OverPeriod, Selector: odd}, 50 * time.Minute, false},
		"on other terms":   {resync.Policy{Period: 100 * time.Minute, Spread: resync.OverPeriod, OnlyIfNotReconciledFor: time.Hour}, 50 * time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			withCrowd(t, n, spread, func(r *resyncRig) {
				a, b := r.observe(resync.Policy{}), r.observe(resync.Policy{})
				own := r.observe(spread)
				time.Sleep(150 * time.Minute) // the first period is without
				shown, shownOdd := a.take()
				if shown < n*4/10 || shown > n*6/10 {
					t.Fatalf("halfway %d are shown", shown)
				}
				b.take()
				r.set(tt.to)
				if runs := r.Status().Resync.Runs; runs > 2 {
					t.Errorf("%d runs, want one for the two who follow and one for the one that does not", runs)
				}
				left, leftOdd := n-shown, n/2-shownOdd
				if !tt.all {
					left = leftOdd
				}
				time.Sleep(tt.after + 2*time.Second) // the next period may have begun
				synctest.Wait()
				largest := burst(a.at)
				for _, o := range []*observed{a, b} {
					if all, odds := o.take(); all < left || all > left+8 || odds < leftOdd || odds > leftOdd+8 {
						t.Errorf("%d Syncs and %d of odd things, want the rest of %d and %d", all, odds, left, leftOdd)
					}
				}
				if tt.to.Spread == resync.OverPeriod && largest > left/20 {
					t.Errorf("%d of %d at one moment", largest, left)
				}
				if tt.after < 50*time.Minute {
					time.Sleep(50*time.Minute - tt.after)
				}
				if all, _ := own.take(); tt.after <= 50*time.Minute && (all < n-5 || all > n+5) {
					t.Errorf("who has a policy of its own is shown %d in all, want %d", all, n)
				}
			})
		})
	}
}

// burst is how many moments are within the same second.
func burst(at []time.Duration) (most int) {
	counts := map[time.Duration]int{}
	for _, moment := range at {
		counts[moment.Truncate(time.Second)]++
		most = max(most, counts[moment.Truncate(time.Second)])
	}
	return most
}

// On demand a selector is all that counts, and those who ask twice get it once.
func TestResyncOnDemandBySelector(t *testing.T) {
	withCrowd(t, 1000, resync.Policy{Period: time.Hour, Selector: even, OnlyIfNotReconciledFor: time.Hour}, func(r *resyncRig) {
		a, never := r.observe(resync.Policy{}), r.observe(resync.Policy{Period: resync.Never})
		for range 100 {
			if err := r.Informer.Resync(odd); err != nil {
				r.Fatal(err)
			}
		}
		synctest.Wait()
		if want := (delta.ResyncTerms{OnDemand: true}); a.why[want] == 0 || len(a.why) != 1 {
			t.Errorf("the Syncs say that they are by %v, want %v", a.why, want)
		}
		for _, o := range []*observed{a, never} {
			if all, odds := o.take(); all != odds || odds < 500 || odds > 500*(1+timetable.MaxRuns) {
				t.Errorf("%d were shown, and %d odd ones", all, odds)
			}
		}
		time.Sleep(time.Hour)
		r.expect("at the end of the period", a, 500, 0)
	})
}
