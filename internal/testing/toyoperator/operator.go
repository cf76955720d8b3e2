package toyoperator

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspector"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

var _ inspector.Subject = (*Operator)(nil)

// Names of kinds, as the cache has them.
const (
	Site       = "example.com/v1 Site"
	Deployment = "apps/v1 Deployment"
	ConfigMap  = "v1 ConfigMap"
	Secret     = "v1 Secret"
	Pod        = "v1 Pod"
	PodNames   = "v1 Pod (metadata)"
	CronJob    = "batch/v1 CronJob"
)

// Controller is the name of the controller that calls back for Sites.
const Controller = "site"

// kept is how many deltas and calls the journals hold.
const kept = 500

// Operator is the toy.
type Operator struct {
	mu         sync.Mutex // guards everything below
	began      time.Time
	version    int
	objects    map[ID]*object
	deltas     []v1.Delta // the last ones, the oldest first
	gone       []v1.Delta // the last that are no longer among these
	told       uint64     // the ID of the last delta
	calls      []v1.Reconcile
	called     uint64
	queue      map[inspector.Request]*v1.Item
	failures   map[inspector.Request]int
	results    map[string]uint64
	causes     map[string]uint64
	policies   map[string]string
	relists    map[string]uint64
	streams    map[*stream]bool
	dropped    uint64
	wrote      map[string]uint64 // by kind
	refuseActs error
}

// ID names an object.
type ID struct{ Kind, Namespace, Name string }

// Demo names an object in the namespace demo, where all are.
func Demo(kind, name string) ID { return ID{kind, "demo", name} }

type object struct {
	version string
	labels  map[string]string
	owner   string // the name of the Site in the same namespace
}

// New returns an operator that has been running for a while.
func New() *Operator {
	o := &Operator{
		began: time.Now().Add(-3 * time.Hour), version: 41000, objects: map[ID]*object{},
		queue: map[inspector.Request]*v1.Item{}, failures: map[inspector.Request]int{},
		results: map[string]uint64{}, causes: map[string]uint64{}, relists: map[string]uint64{}, wrote: map[string]uint64{},
		policies: map[string]string{Site: "every 10m, over the period"}, streams: map[*stream]bool{},
	}
	for _, name := range []string{"blog", "shop", "docs", "status", "wiki", "forum", "broken", "slow"} {
		o.add(ID{Site, "demo", name}, "", "kubectl-create")
		o.add(ID{Deployment, "demo", name}, name, "site-operator")
		o.add(ID{ConfigMap, "demo", name + "-files"}, name, "site-operator")
		o.add(ID{Pod, "demo", name + "-7d4b9c-x2x9z"}, "", "kubelet")
	}
	o.add(ID{Secret, "demo", "settings"}, "blog", "kubectl-create")
	o.Work()
	return o
}

func (o *Operator) add(of ID, owner, manager string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.objects[of] = &object{labels: map[string]string{"app": of.Name, "kind": of.Kind}, owner: owner}
	if of.Kind == Site {
		o.objects[of].owner = of.Name
	}
	o.tellLocked(of, v1.Delta{Op: "Added", Manager: manager, Relisted: true})
}

// Edit changes an object, adding it if it is not there.
func (o *Operator) Edit(of ID, manager string, edits ...v1.Edit) {
	o.mu.Lock()
	defer o.mu.Unlock()
	op := "Updated"
	if o.objects[of] == nil {
		o.objects[of], op, edits = &object{labels: map[string]string{"app": of.Name}}, "Added", nil
	}
	if op == "Updated" && of.Kind != ConfigMap && of.Kind != Secret {
		generation, _ := strconv.Atoi(o.objects[of].version)
		edits = append(edits, v1.Edit{Path: "metadata.generation", Op: "changed", Before: strconv.Itoa(generation % 97), After: strconv.Itoa(generation%97 + 1)})
	}
	o.tellLocked(of, v1.Delta{Op: op, Manager: manager, Edits: edits})
}

// Delete takes an object away.
func (o *Operator) Delete(of ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.objects[of] != nil {
		o.tellLocked(of, v1.Delta{Op: "Deleted"})
		delete(o.objects, of)
	}
}

// tellLocked completes a delta, notes it, and requests the Site that it is about.
func (o *Operator) tellLocked(of ID, d v1.Delta) {
	o.told++
	it := o.objects[of]
	if d.Op != "Sync" {
		o.version++
		it.version = strconv.Itoa(o.version)
	}
	d.ID, d.Seen, d.ResourceVersion = o.told, time.Now(), it.version
	d.Kind, d.Namespace, d.Name = of.Kind, of.Namespace, of.Name
	if len(o.deltas) == kept {
		o.gone, _ = keep(o.gone, o.deltas[0], 0)
	}
	o.deltas, o.dropped = keep(o.deltas, d, o.dropped)
	o.wrote[of.Kind]++
	for s := range o.streams {
		s.ring()
	}
	if it.owner != "" {
		o.requestLocked(inspector.Request{Controller: Controller, Namespace: of.Namespace, Name: it.owner}, changeOf(of, d))
	}
}

func changeOf(of ID, d v1.Delta) v1.Change {
	cause := map[string]string{Site: "Primary", Secret: "Mapped"}[of.Kind]
	switch {
	case d.Op == "Sync":
		cause = "Resync"
	case cause == "":
		cause = "Owned"
	}
	return v1.Change{
		Causes: []string{cause}, Kind: of.Kind, Namespace: of.Namespace, Name: of.Name, Op: d.Op, Manager: d.Manager,
		Own: d.Manager == "site-operator", First: d.Seen, Last: d.Seen, Deltas: 1, Edits: d.Edits,
	}
}

// requestLocked puts a request into the queue, or a change to one that waits.
func (o *Operator) requestLocked(r inspector.Request, change v1.Change) {
	item := o.queue[r]
	if item == nil {
		item = &v1.Item{Namespace: r.Namespace, Name: r.Name, State: "ready", Queued: time.Now()}
		o.queue[r] = item
	}
	for i := range item.Why {
		if c := &item.Why[i]; c.Kind == change.Kind && c.Name == change.Name && c.Op == change.Op {
			c.Edits, c.Last, c.Deltas = change.Edits, change.Last, c.Deltas+1
			return
		}
	}
	item.Why = append(item.Why, change)
}

// Work calls the reconciler for each request that is ready. The Site slow is taken and not given
// back, and the Site broken fails.
func (o *Operator) Work() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for r, item := range o.queue {
		if item.State == "delayed" && !item.Due.After(time.Now()) {
			item.State, item.Due = "ready", time.Time{}
		}
		switch {
		case item.State != "ready":
		case r.Name == "slow":
			item.State, item.Working = "working", time.Now().Add(-95*time.Second)
		default:
			o.callLocked(r, item)
		}
	}
}

func (o *Operator) callLocked(r inspector.Request, item *v1.Item) {
	o.called++
	o.failures[r]++
	call := v1.Reconcile{
		ID: o.called, Controller: r.Controller, Namespace: r.Namespace, Name: r.Name, Began: time.Now(),
		Seconds: 0.004 + float64(o.called*37%211)/1000, Result: "success", Attempt: o.failures[r], Changes: slices.Clone(item.Why),
		Steps: []v1.StepOutcome{
			{Name: "files", Result: "skipped", Because: "nothing it looks at has changed"},
			{Name: "deployment", Result: "done", Because: "spec.replicas changed"},
			{Name: "status", Result: "done", Because: "it always runs"},
		},
	}
	delete(o.queue, r)
	if r.Name == "broken" {
		call.Result, call.Error = "error", `update Deployment demo/broken: admission webhook "limits.example.com" denied the request: the image has no digest`
		call.Steps[1] = v1.StepOutcome{Name: "deployment", Result: "failed", Error: call.Error}
		wait := min(time.Duration(1<<min(o.failures[r], 10))*10*time.Second, 16*time.Minute)
		o.queue[r] = &v1.Item{
			Namespace: r.Namespace, Name: r.Name, State: "delayed", Queued: time.Now(), Due: time.Now().Add(wait), Attempts: o.failures[r], Why: item.Why,
		}
	} else {
		o.failures[r] = 0
	}
	o.results[call.Result]++
	for _, change := range call.Changes {
		o.causes[change.Causes[0]]++
	}
	o.calls, _ = keep(o.calls, call, 0)
}

// keep appends to a journal, and counts what falls out of it.
func keep[T any](all []T, one T, dropped uint64) (left []T, out uint64) {
	all = append(all, one)
	if len(all) > kept {
		return slices.Delete(all, 0, 1), dropped + 1
	}
	return all, dropped
}

// Refuse makes all actions fail with an error from now on.
func (o *Operator) Refuse(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refuseActs = err
}

// Replicas is an edit of a Deployment or Site.
func Replicas(from, to int) v1.Edit {
	return v1.Edit{Path: "spec.replicas", Op: "changed", Before: fmt.Sprint(from), After: fmt.Sprint(to)}
}
