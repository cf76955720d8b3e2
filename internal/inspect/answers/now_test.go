package answers

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

func TestProgramsAreCalledAsTheirAuthorsCallThem(t *testing.T) {
	for program, want := range map[string]string{
		"example.com/shop/cmd":                     "shop",
		"example.com/shop/cmd/manager":             "shop",
		"example.com/shop/v2/cmd":                  "shop",
		"example.com/runtime/examples/my-operator": "my-operator",
		"command-line-arguments":                   "command-line-arguments",
		"cmd":                                      "module",
	} {
		if got := programName(program, "example.com/module"); got != want {
			t.Errorf("%s is called %s, and not %s", program, got, want)
		}
	}
}

func TestAProgramLeadsWhenItIsElected(t *testing.T) {
	elected := make(chan struct{})
	waits, always := New(Options{Runtime: managed.New(), Elected: elected}), New(Options{Runtime: managed.New()})
	if p := waits.Program(); p.Leads || p.Name == "" || p.Host == "" || p.Since.IsZero() {
		t.Errorf("before the election it is %+v", p)
	}
	if !always.Program().Leads {
		t.Error("a program that asks for no election does not lead")
	}
	close(elected)
	if !waits.Program().Leads {
		t.Error("it does not lead after the election")
	}
}

// TestHealthHasWhatRuns has failures of a controller that has ended, too, and a worker that hangs.
func TestHealthHasWhatRuns(t *testing.T) {
	runtime := managed.New()
	o := New(Options{Runtime: runtime})
	working := []queue.Entry[delta.Key]{{Key: delta.Key{Name: "quick"}, Working: time.Now()}, {Key: delta.Key{Namespace: "demo", Name: "hangs"}, Working: time.Now().Add(-time.Hour)}}
	runs := func(name string, requests observe.Requests) (end func()) {
		return runtime.Reconciles(&observe.Controller{
			Name: name, Kind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Shop"}, Record: func(*journal.Journal) {}, Requests: requests,
			Ledger: func() delta.LedgerStatus { return delta.LedgerStatus{Advice: "Settle."} },
			Queue: func() (queue.Stats, bool) {
				return queue.Stats{Served: requests != nil, Depth: map[int]int{0: 2, 5: 1}, DepthBelow: 1, OldestQueued: time.Minute, Working: 2, LongestWorking: time.Hour}, true
			},
		})
	}
	defer runs("shop", busy{working: working})()
	defer runs("typed", nil)()
	runs("mall", nil)()
	for _, name := range []string{"shop", "mall"} {
		o.Journal().Controller(name).Note(journal.Call{Request: delta.Key{Namespace: "demo", Name: "a"}, Result: journal.Error, Err: errors.New("no")})
	}
	request := func(name string) inspector.Request {
		return inspector.Request{Controller: "shop", Namespace: "demo", Name: name}
	}
	want := inspector.Health{
		Controllers: []inspector.ControllerHealth{
			{Name: "shop", Advice: "Settle.", Ready: 4, Waited: time.Minute, Longest: time.Hour, Request: request("hangs")},
			{Name: "typed", Advice: "Settle.", Ready: 4, Unserved: true, Waited: time.Minute, Longest: time.Hour},
		},
		Failing: []inspector.Failing{{Request: request("a"), Kind: "example.com/v1 Shop", Error: "no", Same: "no", Times: 1, Next: tomorrow}},
	}
	if got := o.Health(); !reflect.DeepEqual(got, want) {
		t.Errorf("the health is\n%+v, want\n%+v", got, want)
	}
	if _, err := o.Cancel(t.Context(), request("a")); err != nil {
		t.Fatal(err)
	}
	if got := o.Health().Failing; len(got) != 0 {
		t.Errorf("a request that was cancelled fails: %+v", got)
	}
}

// TestKindsThatCantBeMadeAreShown has a kind that is missing, and one that the server says nothing about.
func TestKindsThatCantBeMadeAreShown(t *testing.T) {
	missing, since := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Shop"}, time.Now().Add(-time.Minute)
	c := &household{}
	for name, err := range map[string]error{"example.com/v1 Shop": &meta.NoKindMatchError{GroupKind: missing.GroupKind()}, "v1 Pod": errors.New("silence")} {
		c.unmade = append(c.unmade, observe.Unmade{Name: name, Status: reflector.NotMade(name, since, err)})
	}
	runtime := managed.New()
	defer runtime.Runs(c)()
	o := New(Options{Runtime: runtime})
	inNow := map[string]inspector.KindHealth{}
	for _, k := range o.Health().Kinds {
		inNow[k.Name] = k
	}
	if k := inNow["example.com/v1 Shop"]; !k.DegradedSince.Equal(since) || !k.DisconnectedSince.IsZero() || !strings.Contains(k.Why, "install") || k.LastError == "" {
		t.Errorf("of a kind that is missing the health is %+v", k)
	}
	if k := inNow["v1 Pod"]; !k.DisconnectedSince.Equal(since) || !k.DegradedSince.IsZero() || k.Why != "" || k.LastError != "silence" {
		t.Errorf("of a kind that nothing is known of the health is %+v", k)
	}
	for _, k := range o.Kinds("").Items {
		if of := inNow[k.Name]; k.Synced || k.LastError != of.LastError || k.State != of.State || k.DegradedSince != of.DegradedSince || !strings.Contains(k.Why, "is not synced: ") {
			t.Errorf("in the list of kinds it is %+v, in the health %+v", k, of)
		}
		delete(inNow, k.Name)
	}
	if len(inNow) > 0 || len(o.Kinds("v1 Pod").Items) != 1 {
		t.Errorf("in the list of kinds are not %v", inNow)
	}
}

var tomorrow = time.Now().Add(24 * time.Hour)

// busy are the requests of a controller that has some under way.
type busy struct {
	observe.Requests
	working []queue.Entry[delta.Key]
}

func (b busy) Contents(int) []queue.Entry[delta.Key] { return b.working }
func (b busy) Entry(delta.Key) (e queue.Entry[delta.Key], there bool) {
	return queue.Entry[delta.Key]{Due: tomorrow}, true
}
func (b busy) Cancel(delta.Key) bool           { return true }
func (b busy) Waiting(delta.Key) delta.Changes { return delta.Changes{} }

// TestThePageKnowsHowMuchWhyTells compares the page's number with ours: the page ends its time line where one of our lists ends.
func TestThePageKnowsHowMuchWhyTells(t *testing.T) {
	script, err := os.ReadFile("../inspector/page/object.js")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("\nconst most = %d;", lately); !strings.Contains(string(script), want) {
		t.Errorf("the page does not have %q", want)
	}
}

// TestEachReasonIsToldOnce has scopes that are well, refused, unheard and not yet listed.
func TestEachReasonIsToldOnce(t *testing.T) {
	at := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	scope := func(synced bool, r informer.ReflectorStatus) informer.ScopeStatus {
		r.Kind, r.Since, r.NextTry = "v1 Pod", at, at
		return informer.ScopeStatus{Synced: synced, Reflector: r}
	}
	refused := func(in string) error {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", fmt.Errorf("in the namespace %q", in))
	}
	away := func(in string) error { return fmt.Errorf("Get \"https://host/namespaces/%s/pods\": refused", in) }
	got := reasons("v1 Pod", []informer.ScopeStatus{
		scope(true, informer.ReflectorStatus{State: "Following"}),
		scope(false, informer.ReflectorStatus{State: "Degraded", DegradedSince: at, DisconnectedSince: at, LastError: refused("a")}),
		scope(false, informer.ReflectorStatus{State: "Degraded", DegradedSince: at, LastError: refused("b")}),
		scope(true, informer.ReflectorStatus{State: "BackingOff", DisconnectedSince: at, LastError: away("c"), SyncedOnce: true}),
		scope(true, informer.ReflectorStatus{State: "BackingOff", DisconnectedSince: at.Add(-time.Hour), LastError: away("d"), SyncedOnce: true}),
		scope(false, informer.ReflectorStatus{State: "Listing"}),
		scope(false, informer.ReflectorStatus{State: "Watching", LastError: errors.New("a fourth reason")}),
	})
	want := []inspector.KindHealth{
		{Same: "refused: " + sameOf(refused("a")), Kind: v1.Kind{
			Name: "v1 Pod", State: "Degraded", Since: at, DegradedSince: at, LastError: refused("a").Error(), Why: "grant list and watch of the kind to the operator's account; next try at 12:00:00",
		}},
		{Same: `not heard: Get …: refused`, Kind: v1.Kind{
			Name: "v1 Pod", Synced: true, State: "BackingOff", Since: at, DisconnectedSince: at.Add(-time.Hour), LastError: away("c").Error(), Why: "next try at 12:00:00",
		}},
		{Same: "not synced: ", Kind: v1.Kind{
			Name: "v1 Pod", State: "Listing", Since: at, Why: "it is being listed since 12:00:00; 1 more are not well for other reasons",
		}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the reasons are\n%+v, want\n%+v", got, want)
	}
}

func TestOneReasonForSeveralKinds(t *testing.T) {
	for name, c := range map[string]struct {
		one, other string
		same       bool
	}{
		"addresses":     {`Get "https://host/api/v1/pods": refused`, `Get "https://host/api/v1/nodes": refused`, true},
		"a lookup":      {"read udp 10.244.0.5:38211->10.96.0.10:53: i/o timeout", "read udp 10.244.0.5:41077->10.96.0.10:53: i/o timeout", true},
		"times":         {"current time 2026-07-01T12:00:03Z is after", "current time 2026-07-01T12:00:09Z is after", true},
		"streams":       {"stream ID 57; INTERNAL_ERROR", "stream ID 6; INTERNAL_ERROR", true},
		"durations":     {"nothing for 2m5s", "nothing for 3m", true},
		"statuses":      {"answered 403", "answered 500", false},
		"another error": {`Get "https://host/pods": deadline exceeded`, `conversion webhook failed: Post "https://w": deadline exceeded`, false},
	} {
		one, other := sameOf(errors.New(c.one)), sameOf(errors.New(c.other))
		if same := one == other; same != c.same {
			t.Errorf("%s: %q and %q", name, one, other)
		}
	}
	lost := errors.New(`an error on the server ("unable to read an event of the watch: http2: client connection lost") has prevented the request from succeeding`)
	pods := sameOf(&reflector.Error{During: "Following", Kind: "v1 Pod", Version: "226", Err: lost})
	if nodes := sameOf(&reflector.Error{During: "Following", Kind: "v1 Node", Version: "227", Err: lost}); nodes != pods {
		t.Errorf("of a server that is frozen: %q and %q", pods, nodes)
	}
}
