package engine

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Each scope has a policy of its own, which can be changed.
func TestScopePoliciesChange(t *testing.T) {
	withScopes(t, Options[faulty.Thing]{}, pAndQ, func(t *testing.T, i *Informer[faulty.Thing]) {
		var mu sync.Mutex
		syncs := map[string]int{}
		subscribe(t, i, func(d *delta.Delta[faulty.Thing]) {
			mu.Lock()
			defer mu.Unlock()
			if d.Op == delta.Sync {
				syncs[fmt.Sprint(d.Key.Namespace, " ", d.Resync().OnlyIfNotReconciledFor)]++
			}
		})
		for namespace, policy := range map[string]resync.Policy{"p": {Period: time.Minute, OnlyIfNotReconciledFor: 1}, "q": {Period: time.Hour, OnlyIfNotReconciledFor: 2}} {
			if err := i.SetScopeResync(namespace, policy); err != nil {
				t.Fatal(err)
			}
		}
		if got := i.Status().Subscribers[0].Resync; len(got) != 2 || got[0].OnlyIfNotReconciledFor != 1 || got[1].OnlyIfNotReconciledFor != 2 || got[0].Namespaces[0] != "p" || got[1].Namespaces[0] != "q" {
			t.Errorf("the policies come down to %+v", got)
		}
		time.Sleep(time.Hour + time.Second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if got, want := fmt.Sprint(syncs), fmt.Sprint(map[string]int{"p 1ns": 180, "q 2ns": 3}); got != want {
			t.Errorf("Syncs by namespace and policy %s, want %s", got, want)
		}
		status := i.Status()
		if status.Resync.Next.IsZero() || status.Scopes[0].Resync.Period != time.Minute || len(status.Subscribers[0].Resync) != 2 {
			t.Errorf("status: %+v", status)
		}
	})
}

// The Syncs of a spread resync are even over the period. Their moments are those of
// the keys' hashes, which differ from process to process; the bound is so that one
// process in a million million fails.
func TestSpreadResyncIsEvenlySpread(t *testing.T) {
	const n, period, parts = 20000, 10 * time.Minute, 20
	const bound = 100 // χ² of 19 degrees of freedom
	withCrowd(t, n, resync.Policy{Period: period, Spread: resync.OverPeriod}, func(r *resyncRig) {
		a, b := r.observe(resync.Policy{}), r.observe(resync.Policy{})
		time.Sleep(2*period + time.Second) // each is late by a thousandth of the period at most
		synctest.Wait()
		var histogram [parts]int
		for _, at := range a.at {
			if at < 2*period {
				histogram[(at-period)*parts/period]++
			}
		}
		chi2, expected := 0.0, float64(n)/parts
		for i, got := range histogram {
			t.Logf("%5.1f %% of the period: %4d %s", 100*float64(i+1)/parts, got, strings.Repeat("▪", got/25))
			chi2 += (float64(got) - expected) * (float64(got) - expected) / expected
		}
		t.Logf("χ² = %.1f, at most %d in a second", chi2, burst(a.at))
		if chi2 > bound {
			t.Errorf("χ² is %.1f, want at most %d", chi2, bound)
		}
		if most := burst(a.at); most > 4*n/int(period/time.Second) {
			t.Errorf("%d in one second, want about %d", most, n/int(period/time.Second))
		}
		for _, o := range []*observed{a, b} {
			if len(o.syncs) != n || len(o.at) > n+n/100 {
				t.Errorf("%d things were shown %d times, want %d once", len(o.syncs), len(o.at), n)
			}
		}
	})
}

// A subscriber that is stuck delays the others for a moment, and is shown the rest when it goes on.
func TestAResyncServesSubscribersThatKeepUp(t *testing.T) {
	withCrowd(t, 1000, resync.Policy{Period: time.Minute}, func(r *resyncRig) {
		quick, leaves, release, calls := r.observe(resync.Policy{}), r.observe(resync.Policy{}), make(chan struct{}), 0
		_, err := r.Subscribe(func(d *delta.Delta[faulty.Thing]) {
			if d.Op != delta.Sync {
				return
			}
			if calls++; calls == 100 {
				<-release
			}
		}, informer.SubscribeOptions{})
		if err != nil {
			r.Fatal(err)
		}
		time.Sleep(90 * time.Second)
		synctest.Wait()
		if last := quick.at[len(quick.at)-1]; last > time.Minute+timetable.Patience || calls != 100 {
			r.Errorf("the subscriber that keeps up was done at %v, the other was shown %d", last, calls)
		}
		r.expect("who keeps up", quick, 1000, 500)
		close(release)
		synctest.Wait()
		if calls != 1000 {
			r.Errorf("when it goes on the one that was stuck is shown %d in all", calls)
		}
		r.Unsubscribe(leaves.Subscription)
		time.Sleep(time.Minute)
		synctest.Wait()
		if calls != 2000 {
			r.Errorf("after one more period it is shown %d in all", calls)
		}
		r.expect("in the next period", quick, 1000, 500)
	})
}
