package inspector_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// stand is an operator with the state that a test gives it.
type stand struct {
	*toyoperator.Operator

	kinds       []v1.Kind
	failing     []inspector.Failing
	loops       []v1.Loop
	queues      []v1.Queue
	controllers []v1.Controller
}

func (s *stand) Kinds(string) v1.KindList         { return v1.KindList{Items: s.kinds} }
func (s *stand) Failing() []inspector.Failing     { return s.failing }
func (s *stand) Loops() v1.LoopList               { return v1.LoopList{Items: s.loops} }
func (s *stand) Queues(string, int) v1.QueueList  { return v1.QueueList{Items: s.queues} }
func (s *stand) Controllers() v1.ControllerList   { return v1.ControllerList{Items: s.controllers} }
func (s *stand) ControllerNames() []v1.Controller { return s.controllers }
func failingAt(name, text string, times int, since time.Time) inspector.Failing {
	return inspector.Failing{inspector.Request{"shop", "demo", name}, "example.com/v1 Shop", text, times, since}
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
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d).UTC().Truncate(time.Second) }
	well := v1.Kind{Name: "v1 Pod", Synced: true, State: "Following"}
	with := func(change func(*v1.Kind)) []v1.Kind { k := well; change(&k); return []v1.Kind{well, k} }
	queue := func(q v1.Queue) stand { q.Controller = "shop"; return stand{queues: []v1.Queue{q}} }
	for name, c := range map[string]struct {
		given stand
		want  []v1.Attention
	}{
		"nothing": {stand{kinds: []v1.Kind{well}}, nil},
		"a kind that the server refuses": {stand{kinds: with(func(k *v1.Kind) { k.DegradedSince, k.Why = ago(time.Hour), "Give it the right." })},
			[]v1.Attention{{What: "Kind", Kind: "v1 Pod", Since: ago(time.Hour), Summary: "The server refuses v1 Pod: Give it the right."}}},
		"a kind that is not heard": {stand{kinds: with(func(k *v1.Kind) { k.DisconnectedSince, k.Why = ago(time.Minute), "Refused." })},
			[]v1.Attention{{What: "Kind", Kind: "v1 Pod", Since: ago(time.Minute), Summary: "The server is not heard about v1 Pod: Refused."}}},
		"a kind that is not synced": {stand{kinds: with(func(k *v1.Kind) { k.Synced, k.Since, k.Why = false, ago(time.Minute), "It lists." })},
			[]v1.Attention{{What: "Kind", Kind: "v1 Pod", Since: ago(time.Minute), Summary: "v1 Pod is not synced: It lists."}}},
		"a changed object": {stand{kinds: with(func(k *v1.Kind) { k.Mutated = "Somebody has changed it." })},
			[]v1.Attention{{What: "Kind", Kind: "v1 Pod", Summary: "Somebody has changed it."}}},
		"a slow subscriber": {stand{kinds: with(func(k *v1.Kind) {
			k.Subscribers = []v1.Subscriber{{Name: "controller shop", Lag: 3}, {Name: "controller mall", Lag: 7, Slow: true, InHandlerSince: ago(time.Minute)}}
		})}, []v1.Attention{{What: "Slow", Kind: "v1 Pod", Since: ago(time.Minute), Summary: "controller mall is slow: it is 7 events of v1 Pod behind."}}},
		"a conflict that may pass": {stand{failing: []inspector.Failing{failingAt("a", "conflict", 1, ago(0))}}, nil},
		"an error that nobody retries": {stand{failing: []inspector.Failing{failingAt("a", "bad", 1, ago(time.Minute))}},
			[]v1.Attention{{What: "Failing", Controller: "shop", Kind: "example.com/v1 Shop", Namespace: "demo", Name: "a", Requests: 1, Since: ago(time.Minute), Error: "bad", Summary: "shop fails for demo/a, 1 times in a row."}}},
		"one error of three, and another": {stand{failing: []inspector.Failing{
			failingAt("web-2", `update Deployment demo/web-2: "web-2" has 17 pods`, 3, ago(time.Minute)), failingAt("web-7", `update Deployment demo/web-7: "web-7" has 4 pods`, 2, ago(time.Hour)),
			failingAt("odd", "another", 2, ago(2*time.Hour)), failingAt("x", `update Deployment demo/x: "x" has 4 pods`, 2, ago(time.Minute)),
		}}, []v1.Attention{
			{What: "Failing", Controller: "shop", Kind: "example.com/v1 Shop", Namespace: "demo", Name: "web-7", Requests: 3, Since: ago(time.Hour), Error: `update Deployment demo/web-7: "web-7" has 4 pods`, Summary: "shop fails for 3 requests: demo/web-7, demo/web-2, demo/x."},
			{What: "Failing", Controller: "shop", Kind: "example.com/v1 Shop", Namespace: "demo", Name: "odd", Requests: 1, Since: ago(2 * time.Hour), Error: "another", Summary: "shop fails for demo/odd, 2 times in a row."},
		}},
		"loops, one of them over": {stand{loops: []v1.Loop{
			{Controller: "shop", Pattern: "Fight", Managers: []string{"a", "b"}, Paths: []string{"spec.x"}, Kind: "apps/v1 Deployment", ObjectNamespace: "demo", ObjectName: "web", Rounds: 4, Since: ago(time.Minute)},
			{Controller: "shop", Pattern: "OwnWrites", Paths: []string{"status.y"}, Kind: "v1 Node", ObjectName: "n", Rounds: 5}, {Over: true},
		}}, []v1.Attention{
			{What: "Loop", Controller: "shop", Kind: "apps/v1 Deployment", Namespace: "demo", Name: "web", Since: ago(time.Minute), Summary: "a and b undo each other's writes of spec.x in Deployment demo/web: 4 rounds."},
			{What: "Loop", Controller: "shop", Kind: "v1 Node", Name: "n", Summary: "shop is called again by its own writes of status.y in Node n: 5 rounds."},
		}},
		"a queue that is emptied": {queue(v1.Queue{Ready: 9, OldestSeconds: 29}), nil},
		"a queue that is not":     {queue(v1.Queue{Ready: 9, OldestSeconds: 61}), []v1.Attention{{What: "Waiting", Controller: "shop", Requests: 9, Summary: "9 requests of shop wait for a worker, the first for 1m1s."}}},
		"a call that does not return": {queue(v1.Queue{Items: []v1.Item{{Namespace: "demo", Name: "a", Working: ago(time.Hour)}, {Name: "b", Working: ago(time.Minute)}, {Name: "c"}}}),
			[]v1.Attention{{What: "Slow", Controller: "shop", Namespace: "demo", Name: "a", Since: ago(time.Hour), Summary: "A call of shop for demo/a has not returned."}}},
		"an advice": {stand{controllers: []v1.Controller{{Name: "mall"}, {Name: "shop", Ledger: v1.Ledger{Advice: "Settle."}}}}, []v1.Attention{{What: "Unsettled", Controller: "shop", Summary: "shop: Settle."}}},
	} {
		t.Run(name, func(t *testing.T) {
			c.given.Operator = toyoperator.New()
			got := c.given.now(t).Attention
			for i := range got {
				if got[i].What == "Waiting" {
					got[i].Since = time.Time{} // it is some instructions from that of the test
				}
			}
			if len(got) != len(c.want) || len(got) > 0 && !reflect.DeepEqual(got, c.want) {
				t.Errorf("attention for\n%+v\nwant\n%+v", got, c.want)
			}
		})
	}
}

// TestNowIsBounded has more and longer troubles than an answer has room for.
func TestNowIsBounded(t *testing.T) {
	s := stand{Operator: toyoperator.New()}
	for range 3000 {
		s.kinds = append(s.kinds, v1.Kind{Name: "v1 Pod", Synced: true, Mutated: strings.Repeat("x", 10_000)})
	}
	s.failing = []inspector.Failing{failingAt("a", strings.Repeat("y", 1<<20), 2, time.Now())}
	n := s.now(t)
	if len(n.Attention) != 100 || n.Cut != "100 of 3001 things that need attention are shown, the most urgent first." {
		t.Errorf("%d are shown, and it says %q", len(n.Attention), n.Cut)
	}
	s.kinds = nil
	if n = s.now(t); len(n.Attention) != 1 || len(n.Attention[0].Error) > 1<<10 || n.Cut != "" {
		t.Errorf("%d are shown, with %d bytes of an error, and it says %q", len(n.Attention), len(n.Attention[0].Error), n.Cut)
	}
}
