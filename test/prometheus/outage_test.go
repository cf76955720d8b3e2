//go:build observability

package prometheus

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

const (
	// bearable is how long the server may be away before the operator is not ready, and its alert
	// is pending. The alert fires when it was pending for a while.
	bearable = 15 * time.Second
	pending  = 2 * time.Second
	// soon is how late anybody may be who looks each second, on a machine that is busy.
	soon = 5 * time.Second
	// away is how long the server is away at least.
	away = time.Minute
)

// outage is a time without an API server, and what there was before.
type outage struct {
	*onlooker
	killed, ready time.Time

	disconnected disconnections // as the inspector's API says it
	objects      float64        // in the cache, before
	lines        int            // of the log, before
	probes       int            // that failed
}

// TestAnOutageIsSeenEverywhere kills the API server under a running operator, for a minute. Everybody
// gets to know which kinds are disconnected and since when, and all say the same: readiness, the inspector's
// page, the command line, the log. Prometheus raises the alert DeltaKindDisconnected for each kind, and no
// other. All of it ends when the server is back.
func TestAnOutageIsSeenEverywhere(t *testing.T) {
	rules := readRules(t)
	rules.alert(t, "DeltaKindDisconnected").sooner(t, "> 120", fmt.Sprint("> ", bearable.Seconds()), pending.String())
	o := &outage{onlooker: newOnlooker(t, rules, bearable)}
	await.Success(t, "the operator to have nothing left to do", func() error { return o.isIdle(t.Context()) })
	if err := o.isWell(t.Context()); err != nil {
		t.Fatalf("before the outage: %v", err)
	}
	o.objects, o.lines = o.count(t), len(o.log(t))

	o.killed = time.Now()
	o.plane.KillAPIServer()
	o.seeIt(t)
	o.checkTexts(t)
	o.checkDashboard(t)
	o.wait(t)

	if err := o.plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.ready = time.Now()
	t.Logf("the server was away for %v", seconds(o.ready.Sub(o.killed)))
	o.seeItEnd(t)
	o.edit(t, "<p>After the outage")
	edited := time.Now()
	await.Success(t, "the operator to follow an edit", func() error { return o.observed(t.Context()) })
	t.Logf("the status of each Site follows an edit after %v", time.Since(edited).Round(time.Millisecond))
}

// seeIt waits until everybody says that all kinds are disconnected.
func (o *outage) seeIt(t *testing.T) {
	t.Helper()
	await.Success(t, "readiness to fail", func() error {
		disconnected, err := o.readiness(t.Context())
		if err != nil || len(disconnected) > 0 {
			return err
		}
		if err := o.firing(t.Context(), 0); err != nil && time.Since(o.killed) < bearable {
			t.Fatalf("%v after the server was killed: %v", seconds(time.Since(o.killed)), err)
		}
		return errors.New("the operator is ready")
	})
	o.late(t, "/readyz/kinds answers 500", bearable)
	o.notReady(t)
	await.Success(t, "an alert for each kind", func() error { return o.firing(t.Context(), len(o.kinds)) })
	o.late(t, fmt.Sprint(len(o.kinds), " alerts fire"), bearable+pending)
	var err error
	if o.disconnected, err = o.inspector(t.Context()); err != nil || len(o.disconnected) != len(o.kinds) {
		t.Fatalf("the inspector's API says that these are disconnected: %v, error %v; want all of %q", o.disconnected, err, o.kinds)
	}
	for kind, since := range o.disconnected {
		if at := since.Sub(o.killed); at < 0 || at > soon {
			t.Errorf("%s is disconnected since %v after the server was killed", kind, at)
		}
	}
	for way, look := range o.ways() {
		began := time.Now()
		disconnected, err := look(t.Context())
		if err != nil || !disconnected.is(o.disconnected) {
			t.Errorf("%s says that these are disconnected: %v, error %v; want %v", way, disconnected, err, o.disconnected)
		}
		t.Logf("%v after the server was killed, %s says which kinds are disconnected and since when; to look takes %v", seconds(began.Sub(o.killed)), way, seconds(time.Since(began)))
	}
	if after := o.count(t); after != o.objects {
		t.Errorf("readers have %v objects in the outage and had %v before", after, o.objects)
	}
}

// late fails if something did not happen as long after the server was killed as it should.
func (o *outage) late(t *testing.T, what string, want time.Duration) {
	t.Helper()
	after := time.Since(o.killed)
	t.Logf("%s %v after the server was killed", what, seconds(after))
	if after < want || after > want+soon {
		t.Errorf("this is too soon or too late, want %v to %v", want, want+soon)
	}
}

// notReady asks for readiness as a kubelet does.
func (o *outage) notReady(t *testing.T) {
	t.Helper()
	o.probes++
	if ready, err := o.isReady(t.Context()); err != nil || ready {
		t.Errorf("/readyz answers that the operator is ready: %v, error %v", ready, err)
	}
}

// wait waits until the server was away for long enough. Nobody takes anything back meanwhile, and
// the log has one line for each kind.
func (o *outage) wait(t *testing.T) {
	t.Helper()
	await.Success(t, "the rest of the outage", func() error {
		if disconnected, err := o.readiness(t.Context()); err != nil || !disconnected.is(o.disconnected) {
			t.Fatalf("readiness says that these are disconnected: %v, error %v; want %v", disconnected, err, o.disconnected)
		}
		if err := o.firing(t.Context(), len(o.kinds)); err != nil {
			t.Fatal(err)
		}
		if left := away - time.Since(o.killed); left > 0 {
			return fmt.Errorf("%v are left", seconds(left))
		}
		return nil
	})
	o.notReady(t)
	if err := o.disconnected.agree(t.Context(), o.ways()); err != nil {
		t.Error(err)
	}
	if err := o.lost(o.log(t)); err != nil {
		t.Errorf("%v after the server was killed: %v", seconds(time.Since(o.killed)), err)
	}
}

// seeItEnd waits until nobody says any more that a kind is disconnected.
func (o *outage) seeItEnd(t *testing.T) {
	t.Helper()
	await.Success(t, "readiness", func() error { return disconnections{}.agree(t.Context(), ways{"readiness": o.readiness}) })
	t.Logf("the operator is ready %v after the server", seconds(time.Since(o.ready)))
	await.Success(t, "the end of all alerts", func() error { return o.firing(t.Context(), 0) })
	t.Logf("all alerts end %v after the server was ready", seconds(time.Since(o.ready)))
	// Who hears the server is not yet in step with it.
	await.Success(t, "all kinds to be well", func() error { return o.isWell(t.Context()) })
	t.Logf("nobody says that a kind is disconnected %v after the server was ready", seconds(time.Since(o.ready)))
	await.Success(t, "the log to say that all kinds hear the server again", func() error { return o.heard(o.log(t)) })
	t.Logf("the log has a line for each kind that hears the server again %v after the server was ready, and %d lines of the outage in all",
		seconds(time.Since(o.ready)), len(o.log(t))-o.lines)
}

// isWell returns an error if anybody sees that something is wrong.
func (o *outage) isWell(ctx context.Context) error {
	if err := (disconnections{}).agree(ctx, o.ways()); err != nil {
		return err
	}
	if ready, err := o.isReady(ctx); err != nil || !ready {
		return fmt.Errorf("/readyz answers that the operator is ready: %v, error %w", ready, err)
	}
	return o.firing(ctx, 0)
}

// isIdle returns an error while the operator works. A write that the server does not take any more
// would be an error in the log, which is not about kinds that are disconnected.
func (o *outage) isIdle(ctx context.Context) error {
	if err := o.observed(ctx); err != nil {
		return err
	}
	return o.holds(ctx, "sum(increase(controller_runtime_reconcile_total[5s])) == 0")
}

// observed returns an error while the status of a Site is about an older generation.
func (o *outage) observed(ctx context.Context) error {
	for _, site := range o.sites {
		site = site.DeepCopy()
		if err := o.api.Get(ctx, client.ObjectKeyFromObject(site), site); err != nil {
			return err
		}
		if seen, _, err := unstructured.NestedInt64(site.Object, "status", "observedGeneration"); err != nil || seen != site.GetGeneration() {
			return fmt.Errorf("the Site %s has generation %d, and its status is of generation %d, error %w", site.GetName(), site.GetGeneration(), seen, err)
		}
	}
	return nil
}

// count returns how many objects readers have.
func (o *outage) count(t *testing.T) float64 {
	t.Helper()
	found, err := o.query(t.Context(), "sum(delta_cache_objects)")
	if err != nil || len(found) != 1 {
		t.Fatalf("the operator has objects %v, error %v", found, err)
	}
	return found[0].Value.number()
}

func seconds(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// firing returns an error unless so many alerts are firing. All must be DeltaKindDisconnected.
func (w *world) firing(ctx context.Context, want int) error {
	alerts, err := w.alerts(ctx)
	if err != nil {
		return err
	}
	fire := 0
	for _, a := range alerts {
		if a.State != "firing" {
			continue
		}
		fire++
		if a.Labels["alertname"] != "DeltaKindDisconnected" {
			return fmt.Errorf("there is the alert %v", a.Labels)
		}
	}
	if fire != want {
		return fmt.Errorf("%d alerts fire, want %d", fire, want)
	}
	return nil
}

// checkTexts looks at what people get to read.
func (w *world) checkTexts(t *testing.T) {
	t.Helper()
	alerts, err := w.alerts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range alerts {
		for name, text := range a.Annotations {
			if strings.Contains(text, "<no value>") || strings.Contains(text, "<error") || strings.Contains(text, "  ") {
				t.Errorf("the %s is %q", name, text)
			}
		}
		if kind := a.Labels["kind"]; kind == "" || !strings.Contains(a.Annotations["summary"], kind) {
			t.Errorf("the summary for kind %q is %q", kind, a.Annotations["summary"])
		}
		if i == 0 {
			t.Logf("%s\n%s", a.Annotations["summary"], a.Annotations["description"])
		}
	}
}

// checkDashboard evaluates those queries of the dashboard that find something only in an outage.
func (w *world) checkDashboard(t *testing.T) {
	t.Helper()
	queries := readDashboard(t).queries(t)
	maps.DeleteFunc(queries, func(query, _ string) bool {
		return !strings.Contains(query, "ALERTS{") && !strings.Contains(query, "delta_cache_disconnected_since_timestamp_seconds{")
	})
	if len(queries) < 3 {
		t.Errorf("only %v are about outages", queries)
	}
	if err := w.evaluate(t.Context(), queries, nil); err != nil {
		t.Error(err)
	}
}

// TestAReplicaThatWaitsRaisesNoAlert has two replicas. The one that waits to be the leader has
// requests that grow old, as they should.
func TestAReplicaThatWaitsRaisesNoAlert(t *testing.T) {
	rules := readRules(t)
	old := rules.alert(t, "DeltaQueueOld").sooner(t, "> 300", "> 5", "")
	w := newWorld(t, rules, 2, "--leader-elect")
	await.Success(t, "requests to grow old", func() error {
		return w.holds(t.Context(), "delta_queue_oldest_seconds > 8")
	})
	if found, err := w.query(t.Context(), old.Expr); err != nil || len(found) > 0 {
		t.Errorf("the alert fires for %v, error %v", found, err)
	}
	if err := w.firing(t.Context(), 0); err != nil {
		t.Error(err)
	}
}
