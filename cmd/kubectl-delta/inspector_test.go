package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// now is what the clock of the test's operator shows.
var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

// inspector answers as an operator's does. Its answers are values that a test may change.
type inspector struct {
	*http.ServeMux

	answers map[string]any // by route
	events  func(w http.ResponseWriter, r *http.Request)

	mu    sync.Mutex // guards everything below
	asked []string   // the requests, each as method, path, query and body
}

// inspect starts an inspector and returns its address.
func inspect(t *testing.T, i *inspector) string {
	t.Helper()
	i.ServeMux = http.NewServeMux()
	i.HandleFunc("GET /delta/v1/deltas/stream", func(w http.ResponseWriter, r *http.Request) {
		i.note(r)
		w.Header().Set("Content-Type", "text/event-stream")
		i.events(w, r)
	})
	i.HandleFunc("/delta/v1/", i.answer)
	s := httptest.NewServer(i)
	t.Cleanup(s.Close)
	return s.URL
}

func (i *inspector) note(r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked = append(i.asked, fmt.Sprintf("%s %s?%s %s", r.Method, r.URL.Path, r.URL.RawQuery, body))
}

// last returns the last requests.
func (i *inspector) last(n int) []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.asked[len(i.asked)-n:])
}

func (i *inspector) answer(w http.ResponseWriter, r *http.Request) {
	i.note(r)
	answer, ok := i.answers[r.URL.Path[len("/delta/v1/"):]]
	if by, is := answer.(func(*http.Request) any); is {
		answer = by(r)
	}
	if !ok {
		answer = v1.Problem{Status: http.StatusNotFound, Message: "there is nothing"}
	}
	if problem, is := answer.(v1.Problem); is {
		w.WriteHeader(problem.Status)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// healthy is an inspector of the sample operator on a good day, and on a bad one for Secrets.
func healthy() *inspector {
	return &inspector{answers: map[string]any{
		"kinds": only, "controllers": controllers(), "loops": loops(), "queues": queues(), "why": why(),
		"deltas": journal, "memory": memory(), "now": current(), "reconciles": v1.ReconcileList{At: now, Items: why().Told},
		"actions/resync": done("12 objects of apps/v1 Deployment will be shown again"), "actions/relist": done("v1 Secret is listed again"),
		"actions/policy": done("apps/v1 Deployment is shown again every 10m"), "actions/forget": done("site demo/blog is tried at once"),
		"actions/cancel": done("the delayed add of site demo/blog is cancelled"),
	}}
}

// only looks at the filter.
func only(r *http.Request) any {
	list := kinds()
	if kind := r.FormValue("kind"); kind != "" {
		list.Items = slices.DeleteFunc(list.Items, func(k v1.Kind) bool { return !strings.HasPrefix(kind, strings.ToLower(k.Kind)) })
	}
	return list
}

func done(text string) v1.Done { return v1.Done{Message: text} }

func kinds() v1.KindList {
	return v1.KindList{At: now, Items: []v1.Kind{
		{
			Name: "apps/v1 Deployment", Group: "apps", Version: "v1", Kind: "Deployment", Synced: true, State: "Following", Since: ago(3 * time.Hour),
			Why: "It follows the server.", HeardAt: ago(4 * time.Second), ResourceVersion: "4711", Objects: 1204, Watches: 12, Lists: map[string]uint64{"First": 1, "Expired": 2},
			Scopes:      []v1.Scope{{Synced: true, State: "Following", Policy: "every 10h, at 50 a second"}},
			Subscribers: []v1.Subscriber{{Name: "site", Told: 5000, Synced: true, Policies: []string{"only app=web", "every 1h"}}},
			Resync:      v1.Resync{Next: now.Add(20 * time.Minute), Left: 40},
		},
		{
			Name: "v1 Secret", Version: "v1", Kind: "Secret", State: "BackingOff", Since: ago(3 * time.Minute),
			Why:     "The server has not answered for 3m; the next attempt is in 12s. Check that it can be reached from the operator's Pod.",
			HeardAt: ago(200 * time.Second), DisconnectedSince: ago(200 * time.Second), Objects: 31, Pending: 2, Skipped: 1,
			LastError: "list v1 Secret: dial tcp 10.0.0.1:443: connect: connection refused", Synced: true,
			Subscribers: []v1.Subscriber{{Name: "site"}},
		},
		{
			Name: "v1 Pod", Version: "v1", Kind: "Pod", Synced: true, State: "Following", Since: ago(time.Hour), HeardAt: ago(time.Second), Objects: 9,
			Why:         "It follows the server.",
			Subscribers: []v1.Subscriber{{Name: "audit", Lag: 812, LagSeconds: 42, Slow: true, InHandlerSince: ago(40 * time.Second)}},
		},
		{Name: "v1 Pod (metadata)", Version: "v1", Kind: "Pod", Synced: true, State: "Following", Since: ago(time.Hour), Objects: 9},
		{
			Name: "web.example.com/v1 Site", Group: "web.example.com", Version: "v1", Kind: "Site", Synced: true, State: "Following",
			Since: ago(3 * time.Hour), HeardAt: ago(2 * time.Second), Objects: 12, Why: "It follows the server.",
		},
	}}
}

func controllers() v1.ControllerList {
	return v1.ControllerList{At: now, Items: []v1.Controller{
		{
			Name: "site", Kind: "web.example.com/v1 Site", Calls: map[string]uint64{"success": 1190, "error": 12, "panic": 1},
			Causes: map[string]uint64{"Owned": 900, "Primary": 290, "Resync": 13}, Incomplete: map[string]uint64{"InitialList": 12},
			Changes: 2304, OwnWrites: 480, HeldBack: 77, Ledger: v1.Ledger{Requests: 12, Changes: 3},
		},
		{Name: "audit", Calls: map[string]uint64{"success": 3}, Ledger: v1.Ledger{Blind: "The kind v1 Event has no informer of ours, so its changes are not noted."}},
	}}
}

// current is how the inspector is doing as a whole.
func current() v1.Now {
	past := v1.Past{EverySeconds: 10, LastAt: now}
	for i := range uint64(12) {
		past.Calls, past.Errors, past.Changes = append(past.Calls, i%7), append(past.Errors, i%2), append(past.Changes, i%13)
		past.Queued, past.P99Seconds = append(past.Queued, int(i%5)), append(past.P99Seconds, float64(i%9)/100)
	}
	return v1.Now{
		At: now, Program: v1.Program{Name: "site-operator", Version: "v1.2.0", Host: "site-operator-7d4b9c-x2x9z", Since: ago(3 * time.Hour), Leads: true}, Past: past,
		Attention: []v1.Attention{
			{What: "Kind", Kind: "v1 Secret", Since: ago(200 * time.Second), Summary: "No word from the API server about v1 Secret: Check that it can be reached from the operator's Pod."},
			{
				What: "Failing", Controller: "site", Kind: "web.example.com/v1 Site", Namespace: "demo", Name: "blog", Requests: 3, Since: ago(time.Hour),
				Summary: "site fails for 3 requests: demo/blog, demo/shop, demo/wiki.", Error: "update Deployment demo/blog: the object has been modified",
			},
			{What: "Loop", Controller: "site", Kind: "apps/v1 Deployment", Namespace: "demo", Name: "blog", Since: ago(90 * time.Second), Summary: "hpa and site-operator undo each other's writes of spec.replicas in Deployment demo/blog: 12 rounds."},
			{What: "Unsettled", Controller: "site", Summary: "site: It never settles."},
		},
	}
}

func loops() v1.LoopList {
	return v1.LoopList{At: now, Items: []v1.Loop{loop()}}
}

func loop() v1.Loop {
	return v1.Loop{
		Controller: "site", Namespace: "demo", Name: "blog", Pattern: "Fight", Kind: "apps/v1 Deployment", ObjectNamespace: "demo", ObjectName: "blog",
		Paths: []string{"spec.replicas"}, Managers: []string{"site-operator", "hpa"}, Rounds: 12, Since: ago(90 * time.Second), Last: ago(4 * time.Second), Deferred: true,
	}
}

func edits() []v1.Edit {
	return []v1.Edit{
		{Path: `spec.files["index.html"]`, Op: "changed", Before: `"<h1>Hello</h1>"`, After: `"<h1>Good evening</h1>"`},
		{Path: "metadata.labels[tier]", Op: "added", After: `"front"`},
		{Path: "spec.paused", Op: "removed", Before: "true"},
		{Path: "data[password]", Op: "changed", Hidden: true},
	}
}

func change() v1.Change {
	return v1.Change{
		Causes: []string{"Primary"}, Kind: "web.example.com/v1 Site", Namespace: "demo", Name: "blog", Op: "Updated", Manager: "kubectl-patch",
		First: ago(13 * time.Second), Last: ago(12 * time.Second), Deltas: 2, Edits: edits(), EditsLeftOut: true,
	}
}

func queues() v1.QueueList {
	return v1.QueueList{At: now, Cut: "Some changes are left out, as the answer would be too long; ask for one controller.", Items: []v1.Queue{
		{
			Controller: "site", Known: true, Ready: 1, Delayed: 1, Working: 1, OldestSeconds: 12.5, Added: 1206, Finished: 1203, More: true,
			Items: []v1.Item{
				{Namespace: "demo", Name: "blog", State: "working", Working: ago(2 * time.Second), Why: []v1.Change{change()}},
				{Namespace: "demo", Name: "shop", State: "ready", Queued: ago(12 * time.Second), Priority: -100, Why: []v1.Change{{Causes: []string{"Resync"}}}, WhyLeftOut: 4},
				{Namespace: "demo", Name: "docs", State: "delayed", Due: now.Add(40 * time.Second), Attempts: 3},
			},
		},
		{Controller: "audit"},
	}}
}

func why() v1.Why {
	loop := loop()
	last := v1.Reconcile{
		ID: 9, Controller: "site", Namespace: "demo", Name: "blog", Began: ago(12 * time.Second), Seconds: 0.0912, Result: "error", Attempt: 3,
		Error: "update Deployment demo/blog: the object has been modified", Changes: []v1.Change{change()}, ChangesLeftOut: 1999, Incomplete: "the operator had just started",
		Steps: []v1.StepOutcome{{Name: "files", Result: "done", Seconds: 0.012}, {Name: "deployment", Result: "skipped", Because: "nothing that it reads has changed"}},
	}
	return v1.Why{
		At: now, Kind: "web.example.com/v1 Site", Namespace: "demo", Name: "blog", Cached: true, ResourceVersion: "4711",
		Requests: []v1.Request{
			{
				Controller: "site", State: "delayed", Last: &last, Loop: &loop, LastSuccess: ago(5 * time.Minute),
				Item:    &v1.Item{Namespace: "demo", Name: "blog", State: "delayed", Due: now.Add(40 * time.Second), Attempts: 3, Why: []v1.Change{{Causes: []string{"Retry"}}}},
				Summary: "It was called 12s ago because kubectl-patch changed it, it failed for the third time, and it will be tried again in 40s.",
			},
			{Controller: "audit", State: "unknown", Summary: "Its queue is not delta-runtime's."},
		},
		Told:   []v1.Reconcile{last},
		Deltas: deltas().Items,
	}
}

func deltas() v1.DeltaList {
	one := v1.Delta{
		ID: 77, Seen: ago(12 * time.Second), Kind: "web.example.com/v1 Site", Namespace: "demo", Name: "blog", Op: "Updated",
		ResourceVersion: "4711", Manager: "kubectl-patch", Edits: edits(), EditsLeftOut: true,
	}
	two := one
	two.ID, two.Seen, two.ResourceVersion, two.Manager, two.EditsLeftOut = 70, ago(time.Hour), "4001", "", false
	two.Edits = []v1.Edit{{Path: "metadata.generation", Op: "changed", Before: "1", After: "2"}}
	three := v1.Delta{ID: 3, Seen: ago(3 * time.Hour), Kind: one.Kind, Namespace: "demo", Name: "blog", Op: "Added", ResourceVersion: "12", Relisted: true}
	return v1.DeltaList{At: now, Items: []v1.Delta{one, two, three}, Dropped: 41}
}

// journal looks at the filters.
func journal(r *http.Request) any {
	list := deltas()
	if op := r.FormValue("op"); op != "" {
		list.Items = slices.DeleteFunc(list.Items, func(d v1.Delta) bool { return d.Op != op })
	}
	if limit, err := strconv.Atoi(r.FormValue("limit")); err == nil && limit < len(list.Items) {
		list.Items = list.Items[:limit]
	}
	return list
}

func memory() v1.Memory {
	return v1.Memory{Kind: "apps/v1 Deployment", Objects: 1204, Sampled: 100, Truncated: true, Bytes: 9 << 20, Paths: []v1.PathCost{
		{Path: "metadata.managedFields", Bytes: 4 << 20}, {Path: "spec.template.spec.containers", Bytes: 2 << 20},
	}}
}
