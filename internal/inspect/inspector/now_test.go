package inspector_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// stand is an operator with the state that a test gives it.
type stand struct {
	*toyoperator.Operator

	health inspector.Health
	loops  v1.LoopList
}

func (s *stand) Health() inspector.Health { return s.health }
func (s *stand) Loops() v1.LoopList       { return s.loops }

func failingAt(name, text string, times int, since time.Time) inspector.Failing {
	at := inspector.Request{Controller: "shop", Namespace: "demo", Name: name}
	return inspector.Failing{Request: at, Kind: "example.com/v1 Shop", Error: text, Same: text[:3], Times: times, Since: since}
}

// now asks the stand.
func (s *stand) now(t *testing.T) (n v1.Now) {
	t.Helper()
	a := answer(inspector.New(s, inspector.Options{}), get(t, "/delta/v1/now"))
	if err := json.Unmarshal(a.body, &n); err != nil || a.status != http.StatusOK {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	return n
}

// TestNowSaysWhatNeedsAttention gives the operator one trouble of each sort, and one more that is none yet.
func TestNowSaysWhatNeedsAttention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ago := func(d time.Duration) time.Time { return time.Now().Add(-d).UTC() }
		well := inspector.KindHealth{Kind: v1.Kind{Name: "v1 Pod", Synced: true, State: "Following"}}
		with := func(change func(*inspector.KindHealth)) stand {
			k := well
			change(&k)
			return stand{health: inspector.Health{Runs: true, Kinds: []inspector.KindHealth{well, k}}}
		}
		fails := func(all ...inspector.Failing) stand { return stand{health: inspector.Health{Runs: true, Failing: all}} }
		atLeast := failingAt("b", "bad", 2, ago(time.Minute))
		atLeast.More = true
		again := failingAt("a", "bad", 3, ago(time.Minute))
		again.Next = ago(-41 * time.Second)
		failing := func(name, summary, text string, requests int, since time.Time) v1.Attention {
			return v1.Attention{What: "Failing", Controller: "shop", Kind: "example.com/v1 Shop", Namespace: "demo", Name: name, Requests: requests, Since: since, Error: text, Summary: summary}
		}
		for name, c := range map[string]struct {
			given stand
			want  []v1.Attention
		}{
			"nothing":  {with(func(*inspector.KindHealth) {}), nil},
			"no cache": {stand{}, []v1.Attention{{What: "Kind", Summary: "The cache does not run: it has not started yet, or it has ended."}}},
			"a kind that the server refuses": {with(func(k *inspector.KindHealth) {
				k.DegradedSince, k.Why, k.LastError = ago(time.Hour), "grant it", "forbidden"
			}),
				[]v1.Attention{{What: "Kind", Kind: "v1 Pod", Since: ago(time.Hour), Summary: "v1 Pod can't be read: grant it.", Error: "forbidden"}}},
			"a kind that is not heard": {with(func(k *inspector.KindHealth) { k.DisconnectedSince, k.Why = ago(time.Minute), "Refused." }),
				[]v1.Attention{{What: "Kind", Kind: "v1 Pod", Since: ago(time.Minute), Summary: "No word from the API server about v1 Pod: Refused."}}},
			"two kinds that are not heard for two reasons": {stand{health: inspector.Health{Runs: true, Kinds: []inspector.KindHealth{
				{Same: "refused", Kind: v1.Kind{Name: "v1 Pod", DisconnectedSince: ago(time.Minute), LastError: "refused"}},
				{Same: "expired", Kind: v1.Kind{Name: "v1 Node", DisconnectedSince: ago(time.Second), LastError: "expired", Why: "next try at noon"}},
				{Same: "refused", Kind: v1.Kind{Name: "v1 Pod", DisconnectedSince: ago(time.Second), LastError: "refused"}},
			}}}, []v1.Attention{
				{What: "Kind", Kind: "v1 Pod", Since: ago(time.Minute), Summary: "No word from the API server about v1 Pod.", Error: "refused"},
				{What: "Kind", Kind: "v1 Node", Since: ago(time.Second), Summary: "No word from the API server about v1 Node: next try at noon.", Error: "expired"},
			}},
			"a kind that lists for long": {with(func(k *inspector.KindHealth) { k.Synced, k.Since, k.Why = false, ago(time.Minute), "It lists." }),
				[]v1.Attention{{What: "Kind", Kind: "v1 Pod", Since: ago(time.Minute), Summary: "v1 Pod is not synced: It lists."}}},
			"a kind that fails to list": {with(func(k *inspector.KindHealth) {
				k.Synced, k.Since, k.Why, k.LastError = false, ago(0), "It lists.", "gone"
			}),
				[]v1.Attention{{What: "Kind", Kind: "v1 Pod", Since: ago(0), Summary: "v1 Pod is not synced: It lists.", Error: "gone"}}},
			"a kind that has just begun to list": {with(func(k *inspector.KindHealth) { k.Synced, k.Since = false, ago(time.Second) }), nil},
			"a kind that nobody waits for":       {with(func(k *inspector.KindHealth) { k.Synced, k.Since, k.State = false, ago(time.Hour), "Idle" }), nil},
			"a changed object": {with(func(k *inspector.KindHealth) { k.Mutated = "Somebody has changed it." }),
				[]v1.Attention{{What: "Kind", Kind: "v1 Pod", Summary: "Somebody has changed it."}}},
			"a slow subscriber": {with(func(k *inspector.KindHealth) {
				k.Subscribers = []v1.Subscriber{{Name: "controller shop", Lag: 3}, {Name: "controller mall", Lag: 7, LagSeconds: 60, Slow: true, InHandlerSince: ago(time.Second)}}
			}), []v1.Attention{{What: "Slow", Kind: "v1 Pod", Since: ago(time.Minute), Summary: "controller mall is slow: it is 7 events of v1 Pod behind."}}},
			"a conflict that may pass":     {fails(failingAt("a", "conflict", 1, ago(0))), nil},
			"an error that nobody retries": {fails(failingAt("a", "bad", 1, ago(time.Minute))), []v1.Attention{failing("a", "shop fails for demo/a.", "bad", 1, ago(time.Minute))}},
			"one that is tried again": {fails(again),
				[]v1.Attention{failing("a", "shop fails for demo/a, 3 times in a row. Next try in 41s.", "bad", 1, ago(time.Minute))}},
			"one of two that is at work": {fails(again, failingAt("b", "bad", 2, ago(time.Minute))),
				[]v1.Attention{failing("a", "shop fails for 2 requests: demo/a, demo/b.", "bad", 2, ago(time.Minute))}},
			"one reason of three, and another": {fails(
				failingAt("web-2", "denied 2", 3, ago(time.Minute)), failingAt("web-7", "denied 7", 2, ago(time.Hour)), failingAt("odd", "another", 2, ago(2*time.Hour)), failingAt("x", "denied x", 2, ago(time.Minute)),
			), []v1.Attention{
				failing("web-7", "shop fails for 3 requests: demo/web-7, demo/web-2, demo/x.", "denied 7", 3, ago(time.Hour)),
				failing("odd", "shop fails for demo/odd, 2 times in a row.", "another", 1, ago(2*time.Hour)),
			}},
			"more than are known": {fails(atLeast, failingAt("c", "bad", 2, ago(time.Second))), []v1.Attention{failing("b", "shop fails for at least 2 requests: demo/b, demo/c.", "bad", 2, ago(time.Minute))}},
		} {
			c.given.Operator = toyoperator.New()
			if got := c.given.now(t).Attention; len(got) != len(c.want) || len(got) > 0 && !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: attention for\n%+v\nwant\n%+v", name, got, c.want)
			}
		}
	})
}

// TestNowNamesControllersInTrouble has controllers that do not keep up, and one that has an advice for its author.
func TestNowNamesControllersInTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ago := func(d time.Duration) time.Time { return time.Now().Add(-d).UTC() }
		works := func(c inspector.ControllerHealth) stand {
			c.Name = "shop"
			return stand{health: inspector.Health{Runs: true, Controllers: []inspector.ControllerHealth{{Name: "mall"}, c}}}
		}
		for name, c := range map[string]struct {
			given stand
			want  []v1.Attention
		}{
			"a queue that is emptied": {works(inspector.ControllerHealth{Ready: 9, Waited: 29 * time.Second}), nil},
			"a queue without workers": {works(inspector.ControllerHealth{Ready: 9, Unserved: true, Waited: 61 * time.Second}),
				[]v1.Attention{{What: "Waiting", Controller: "shop", Requests: 9, Since: ago(61 * time.Second),
					Summary: "shop has not started: it waits until all that it watches is synced, and 9 requests wait for it."}}},
			"a queue that is not": {works(inspector.ControllerHealth{Ready: 9, Waited: 61 * time.Second}),
				[]v1.Attention{{What: "Waiting", Controller: "shop", Requests: 9, Since: ago(61 * time.Second), Summary: "9 requests of shop wait for a worker, the first for 1m1s."}}},
			"a call that does not return": {works(inspector.ControllerHealth{Longest: time.Hour, Request: inspector.Request{Controller: "shop", Namespace: "demo", Name: "a"}}),
				[]v1.Attention{{What: "Slow", Controller: "shop", Namespace: "demo", Name: "a", Since: ago(time.Hour), Summary: "A call of shop for demo/a has not returned."}}},
			"a call of a type of its own": {works(inspector.ControllerHealth{Longest: time.Hour}),
				[]v1.Attention{{What: "Slow", Controller: "shop", Since: ago(time.Hour), Summary: "A call of shop has not returned."}}},
			"a long call": {works(inspector.ControllerHealth{Longest: 4 * time.Minute}), nil},
			"an advice":   {works(inspector.ControllerHealth{Advice: "Settle."}), []v1.Attention{{What: "Unsettled", Controller: "shop", Summary: "shop: Settle."}}},
		} {
			c.given.Operator = toyoperator.New()
			if got := c.given.now(t).Attention; len(got) != len(c.want) || len(got) > 0 && !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: attention for\n%+v\nwant\n%+v", name, got, c.want)
			}
		}
	})
}

// TestNowPutsTogetherWhatIsAway has a server that is away for several kinds, or for one whose error says it all.
func TestNowPutsTogetherWhatIsAway(t *testing.T) {
	since := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for n, want := range map[int]v1.Attention{
		1: {Kind: "v1 A1", Since: since.Add(-time.Minute), Summary: "No word from the API server about v1 A1.", Error: `Get "https://host/a1": timeout 1`},
		7: {Since: since.Add(-7 * time.Minute), Summary: "No word from the API server about 7 kinds: v1 A1, v1 A2, v1 A3, v1 A4, v1 A5, and 2 more.", Error: `Get "https://host/a7": timeout 7`},
	} {
		kinds := []inspector.KindHealth{{Kind: v1.Kind{Name: "v1 Pod", Synced: true, State: "Following"}}}
		for i := 1; i <= n; i++ {
			text := fmt.Sprintf("Get \"https://host/a%d\": timeout %d", i, i)
			kinds = append(kinds, inspector.KindHealth{Same: "timeout", Kind: v1.Kind{
				Name: fmt.Sprint("v1 A", i), Synced: true, DisconnectedSince: since.Add(time.Duration(-i) * time.Minute), LastError: text,
			}})
		}
		want.What = "Kind"
		given := stand{Operator: toyoperator.New(), health: inspector.Health{Runs: true, Kinds: kinds}}
		got := given.now(t).Attention
		if len(got) != 1 || got[0] != want {
			t.Errorf("attention for\n%+v\nwant\n%+v", got, want)
		}
	}
}

// TestNowTellsAFightOnce has loops, one of them over, and one fight that two requests are called for.
func TestNowTellsAFightOnce(t *testing.T) {
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	shared := func(request string, rounds int, since time.Time) v1.Loop {
		return v1.Loop{
			Controller: "shop", Namespace: "demo", Name: request, Pattern: "Fight", Managers: []string{"a", "b"}, Paths: []string{"data.x"},
			Kind: "v1 ConfigMap", ObjectNamespace: "demo", ObjectName: "shared", Rounds: rounds, Since: since,
		}
	}
	given := stand{Operator: toyoperator.New(), health: inspector.Health{Runs: true}, loops: v1.LoopList{Items: []v1.Loop{
		{Controller: "shop", Pattern: "OwnWrites", Paths: []string{"status.y"}, Kind: "v1 Node", ObjectName: "n", Rounds: 5, Since: at},
		{Over: true},
		shared("r1", 5, at.Add(time.Hour)), shared("r2", 7, at.Add(time.Minute)), shared("r2", 7, at.Add(time.Minute)),
		{Controller: "mall", Pattern: "Fight", Managers: []string{"a", "b"}, Paths: []string{"data.y"}, Kind: "v1 ConfigMap", ObjectNamespace: "demo", ObjectName: "shared", Rounds: 3, Since: at.Add(2 * time.Hour)},
	}}}
	want := []v1.Attention{
		{What: "Loop", Controller: "shop", Kind: "v1 Node", Name: "n", Since: at, Requests: 1, Summary: "shop is called again and again for the operator's own writes of status.y in Node n: 5 rounds."},
		{What: "Loop", Controller: "shop", Kind: "v1 ConfigMap", Namespace: "demo", Name: "shared", Since: at.Add(time.Minute), Requests: 3, Summary: "a and b undo each other's writes of data.x, data.y in ConfigMap demo/shared: in 3 requests, up to 7 rounds."},
	}
	if got := given.now(t).Attention; !reflect.DeepEqual(got, want) {
		t.Errorf("attention for\n%+v\nwant\n%+v", got, want)
	}
}

// TestNowIsBounded has more and longer troubles than an answer has room for. It says so.
func TestNowIsBounded(t *testing.T) {
	s := stand{Operator: toyoperator.New(), health: inspector.Health{Runs: true}}
	for range 3000 {
		s.health.Kinds = append(s.health.Kinds, inspector.KindHealth{Kind: v1.Kind{Name: "v1 Pod", Synced: true, Mutated: strings.Repeat("x", 10_000)}})
	}
	s.health.Failing = []inspector.Failing{failingAt(strings.Repeat("z\xff", 1<<20), strings.Repeat("y", 1<<20), 2, time.Now())}
	n := s.now(t)
	if len(n.Attention) != 100 || n.Cut != "100 of 3001 things that need attention are shown, the most urgent first." {
		t.Errorf("%d are shown, and it says %q", len(n.Attention), n.Cut)
	}
	s.health.Kinds = nil
	if n = s.now(t); len(n.Attention) != 1 || len(n.Attention[0].Error) > 1<<10 || n.Cut != "" {
		t.Errorf("%d are shown, with %d bytes of an error, and it says %q", len(n.Attention), len(n.Attention[0].Error), n.Cut)
	}
	s.loops.Cut = "1 of 2 are shown"
	if n = s.now(t); n.Cut != s.loops.Cut {
		t.Errorf("of loops that are left out it says %q", n.Cut)
	}
}
