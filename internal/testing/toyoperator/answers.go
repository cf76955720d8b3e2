package toyoperator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// Kinds is of [inspector.Cache].
func (o *Operator) Kinds(only string) v1.KindList {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := v1.KindList{At: time.Now()}
	for _, name := range []string{Site, Deployment, ConfigMap, Secret, Pod, PodNames, CronJob} {
		if only == "" || only == name {
			all.Items = append(all.Items, o.kindLocked(name))
		}
	}
	return all
}

func (o *Operator) kindLocked(name string) v1.Kind {
	gvk := gvkOf(name)
	k := v1.Kind{
		Name: name, Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Objects: o.countLocked(name), Synced: true, State: "Following", Since: o.began,
		Why:     "It follows the server's changes. All is well.",
		HeardAt: time.Now().Add(-1200 * time.Millisecond), ResourceVersion: fmt.Sprint(o.version),
		Lists: map[string]uint64{"First": 1}, Watches: 7 + o.relists[name],
		Scopes: []v1.Scope{{Synced: true, State: "Following", ResourceVersion: fmt.Sprint(o.version), HeardAt: time.Now(), Policy: o.policies[name]}},
		Subscribers: []v1.Subscriber{
			{Name: "controller site", Told: 4711, Synced: true, Policies: []string{cmp.Or(o.policies[name], "never")}},
		},
	}
	if o.policies[name] != "" {
		k.Resync = v1.Resync{Next: time.Now().Add(4 * time.Minute), Runs: 1, Left: 37}
	}
	if n := o.relists[name]; n > 0 {
		k.Lists["Requested"] = n
	}
	o.oddLocked(&k)
	return k
}

func (o *Operator) countLocked(kind string) (n int) {
	for of := range o.objects {
		if of.Kind == kind {
			n++
		}
	}
	return n
}

// oddLocked gives two kinds their troubles.
func (o *Operator) oddLocked(k *v1.Kind) {
	switch k.Name {
	case CronJob:
		k.Synced, k.State, k.HeardAt, k.ResourceVersion = false, "Degraded", time.Time{}, ""
		k.Since, k.DegradedSince = o.began.Add(time.Second), o.began.Add(time.Second)
		k.LastError = `list batch/v1 CronJob: cronjobs.batch is forbidden: User "system:serviceaccount:demo:site-operator" cannot list resource "cronjobs" in API group "batch" at the cluster scope`
		k.Why = "The server has refused the list since the start. Give the operator the right to list and watch cronjobs in the group batch."
		k.Lists, k.Watches = nil, 0
		k.Scopes, k.Subscribers = []v1.Scope{{State: "Degraded"}}, nil
	case ConfigMap:
		k.Subscribers = append(k.Subscribers, v1.Subscriber{
			Name: "controller report", Lag: 412, LagSeconds: 93.5, Told: 2355, Synced: true, Slow: true,
			InHandlerSince: time.Now().Add(-93 * time.Second), Policies: []string{"never"},
		})
		k.Why = "It follows the server's changes, but controller report is slow: its handler has not returned for 93 s."
		k.Lists["Expired"] = 2
	}
}

// Memory is of [inspector.Cache].
func (o *Operator) Memory(ctx context.Context, kind string) (v1.Memory, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := v1.Memory{At: time.Now(), Kind: kind, Objects: o.countLocked(kind)}
	m.Sampled, m.Bytes = m.Objects, uint64(m.Objects)*3700
	if m.Objects > 0 {
		m.Paths = []v1.PathCost{{Path: "spec.template", Bytes: m.Bytes / 2}, {Path: "metadata.managedFields", Bytes: m.Bytes / 4}, {Path: "status.conditions", Bytes: m.Bytes / 10}}
	}
	return m, ctx.Err()
}

// Family is of [inspector.Cache].
func (o *Operator) Family(kind, namespace, name string) (owners, children []v1.Relative) {
	o.mu.Lock()
	defer o.mu.Unlock()
	relative := func(kind string, depth int) v1.Relative {
		_, there := o.objects[ID{kind, namespace, name}]
		return v1.Relative{Kind: kind, Namespace: namespace, Name: name, Depth: depth, Cached: there}
	}
	switch kind {
	case Site:
		return nil, []v1.Relative{relative(Deployment, 1), relative(Pod, 2), relative(ConfigMap, 1)}
	case Deployment, ConfigMap:
		return []v1.Relative{relative(Site, 1), {Kind: "example.com/v1 Tenant", Name: "everybody", Depth: 2}}, nil
	}
	return nil, nil
}

// KindNames is of [inspector.Cache].
func (o *Operator) KindNames() []v1.Kind { return o.Kinds("").Items }

// ControllerNames is of [inspector.Workers].
func (o *Operator) ControllerNames() (all []string) {
	for _, c := range o.Controllers().Items {
		all = append(all, c.Name)
	}
	return all
}

// Reconciles is of [inspector.Journal].
func (o *Operator) Reconciles(q inspector.ReconcileQuery) v1.ReconcileList {
	o.mu.Lock()
	defer o.mu.Unlock()
	var found []v1.Reconcile
	for i := range slices.Backward(o.calls) {
		if c := &o.calls[i]; fits(q.Controller, c.Controller) && fits(q.Namespace, c.Namespace) && fits(q.Name, c.Name) && fits(q.Result, c.Result) {
			found = append(found, o.calls[i])
		}
	}
	if q.Slowest {
		slices.SortStableFunc(found, func(a, b v1.Reconcile) int { return cmp.Compare(b.Seconds, a.Seconds) })
	}
	return v1.ReconcileList{At: time.Now(), Items: found[:min(len(found), q.Limit)]}
}

func fits(wanted, is string) bool { return wanted == "" || wanted == is }

// Loops is of [inspector.Journal].
func (o *Operator) Loops() v1.LoopList {
	return v1.LoopList{At: time.Now(), Items: []v1.Loop{{
		Controller: Controller, Namespace: "demo", Name: "shop", Pattern: "Fight", Kind: Deployment, ObjectNamespace: "demo", ObjectName: "shop",
		Paths: []string{"spec.replicas"}, Managers: []string{"site-operator", "horizontal-pod-autoscaler"}, Rounds: 14,
		Since: time.Now().Add(-4 * time.Minute), Last: time.Now().Add(-8 * time.Second), Deferred: true,
	}}}
}

// Controllers is of [inspector.Workers].
func (o *Operator) Controllers() v1.ControllerList {
	o.mu.Lock()
	defer o.mu.Unlock()
	called := uint64(len(o.calls))
	return v1.ControllerList{At: time.Now(), Items: []v1.Controller{
		{
			Name: Controller, Kind: Site, Calls: map[string]uint64{"success": called - 1, "error": 1}, HeldBack: 12,
			Causes: map[string]uint64{"Primary": called, "Owned": called}, Changes: 2 * called, OwnWrites: called,
			Steps:  []v1.Step{{Name: "deployment", Done: called - 1, Failed: 1}, {Name: "files", Skipped: called}, {Name: "status", Done: called}},
			Ledger: v1.Ledger{Requests: len(o.queue), Changes: len(o.queue), Remembered: 3},
		},
		{Name: "report"},
	}}
}

// Queues is of [inspector.Workers].
func (o *Operator) Queues(controller string, limit int) v1.QueueList {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := v1.QueueList{At: time.Now()}
	if controller != "report" {
		all.Items = append(all.Items, o.queueLocked(limit))
	}
	if controller != Controller {
		all.Items = append(all.Items, v1.Queue{Controller: "report"})
	}
	return all
}

func (o *Operator) queueLocked(limit int) v1.Queue {
	q := v1.Queue{Controller: Controller, Known: true, Added: uint64(len(o.calls) + len(o.queue)), Finished: uint64(len(o.calls))}
	order := map[string]int{"working": 0, "ready": 1, "delayed": 2}
	for _, item := range o.queue {
		shown := *item
		shown.Why = slices.Clone(item.Why)
		q.Items = append(q.Items, shown)
		switch item.State {
		case "working":
			q.Working++
		case "ready":
			q.Ready++
			q.OldestSeconds = max(q.OldestSeconds, time.Since(item.Queued).Seconds())
		case "delayed":
			q.Delayed++
		}
	}
	slices.SortFunc(q.Items, func(a, b v1.Item) int {
		return cmp.Or(cmp.Compare(order[a.State], order[b.State]), a.Queued.Compare(b.Queued), cmp.Compare(a.Name, b.Name))
	})
	q.More = len(q.Items) > limit
	q.Items = q.Items[:min(len(q.Items), limit)]
	return q
}

// Why is of [inspector.Workers].
func (o *Operator) Why(kind, namespace, name string) (v1.Why, error) {
	w := v1.Why{At: time.Now(), Kind: kind, Namespace: namespace, Name: name}
	w.Deltas = o.Deltas(inspector.DeltaQuery{Kind: kind, Namespace: namespace, Name: name, Limit: 20}).Items
	calls := o.Reconciles(inspector.ReconcileQuery{Limit: kept}).Items
	o.mu.Lock()
	defer o.mu.Unlock()
	w.ResourceVersion, w.Cached = o.objects[ID{kind, namespace, name}]
	if !w.Cached {
		return w, fmt.Errorf("%s %s/%s: %w", kind, namespace, name, inspector.ErrNotFound)
	}
	for i := range calls {
		if slices.ContainsFunc(calls[i].Changes, func(c v1.Change) bool {
			return c.Kind == kind && c.Namespace == namespace && c.Name == name
		}) {
			w.Told = append(w.Told, calls[i])
		}
	}
	if kind == Site {
		w.Requests = []v1.Request{o.placeLocked(inspector.Request{Controller: Controller, Namespace: namespace, Name: name}, calls)}
	}
	return w, nil
}

// placeLocked says how a request is doing.
func (o *Operator) placeLocked(r inspector.Request, calls []v1.Reconcile) v1.Request {
	p := v1.Request{Controller: r.Controller, State: "idle", Summary: "Nothing waits for " + r.Namespace + "/" + r.Name + "."}
	if item := o.queue[r]; item != nil {
		shown := *item
		p.State, p.Item = item.State, &shown
		p.Summary = fmt.Sprintf("The request is %s, with %d changes.", item.State, len(item.Why))
	}
	for i := range calls {
		if calls[i].Namespace == r.Namespace && calls[i].Name == r.Name {
			p.Last = &calls[i]
			break
		}
	}
	return p
}

// Health is of [inspector.Overview].
func (o *Operator) Health() inspector.Health {
	h := inspector.Health{Runs: true, Failing: o.failing()}
	for _, k := range o.Kinds("").Items {
		h.Kinds = append(h.Kinds, inspector.KindHealth{Kind: k, Same: k.LastError})
	}
	return h
}

func (o *Operator) failing() (all []inspector.Failing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.calls {
		if c := &o.calls[i]; c.Result == "error" {
			all = append(all, inspector.Failing{
				Request: inspector.Request{Controller: Controller, Namespace: c.Namespace, Name: c.Name},
				Kind:    Site, Error: c.Error, Times: c.Attempt, Since: c.Began.Add(-21 * time.Minute),
			})
		}
	}
	return all
}

// Past is of [inspector.Overview]. Its numbers are the same each time.
func (o *Operator) Past(controller string) v1.Past {
	p := v1.Past{Controller: controller, EverySeconds: 10, LastAt: time.Now()}
	for i := range uint64(90) {
		busy := i * 37 % 23
		p.Calls, p.Changes = append(p.Calls, busy), append(p.Changes, 2*busy)
		p.Errors, p.Queued = append(p.Errors, busy/20), append(p.Queued, int(busy)/4)
		p.P99Seconds = append(p.P99Seconds, float64(busy)/400)
	}
	return p
}
