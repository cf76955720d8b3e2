package toyoperator

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/inspect/answers"
	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
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

// gvkOf reads the name of a kind.
func gvkOf(name string) schema.GroupVersionKind {
	version, kind, _ := strings.Cut(strings.TrimSuffix(name, " (metadata)"), " ")
	return schema.FromAPIVersionAndKind(version, kind)
}

// Controller is the name of the controller that calls back for Sites.
const Controller = "site"

// kept is how many deltas of a kind the journal holds.
const kept = 500

// Operator is the toy.
type Operator struct {
	*answers.Operator // has the journal

	streams atomic.Int64 // those that are open

	mu       sync.Mutex // guards everything below
	began    time.Time
	version  int
	objects  map[ID]string  // the version of each
	calls    []v1.Reconcile // the oldest first
	queue    map[inspector.Request]*v1.Item
	policies map[string]string
	relists  map[string]uint64
}

// ID names an object.
type ID struct{ Kind, Namespace, Name string }

// Demo names an object in the namespace demo, where all are.
func Demo(kind, name string) ID { return ID{kind, "demo", name} }

// New returns an operator that has been running for a while.
func New() *Operator {
	o := &Operator{
		Operator: answers.New(answers.Options{Runtime: managed.New(), Limits: journal.Limits{Deltas: kept}}),
		began:    time.Now().Add(-3 * time.Hour), version: 41000, objects: map[ID]string{},
		queue: map[inspector.Request]*v1.Item{}, relists: map[string]uint64{},
		policies: map[string]string{Site: "every 10m, over the period"},
	}
	for _, name := range []string{"blog", "shop", "docs", "status", "wiki", "forum", "broken", "slow"} {
		o.Edit(Demo(Site, name), "kubectl-create")
		o.Edit(Demo(Deployment, name), "site-operator")
		o.Edit(Demo(ConfigMap, name+"-files"), "site-operator")
		o.Edit(Demo(Pod, name+"-7d4b9c-x2x9z"), "kubelet")
		o.Work(name)
	}
	o.Edit(Demo(Secret, "settings"), "kubectl-create")
	return o
}

// Edit has a manager write an object. The object is added if it is not there.
func (o *Operator) Edit(of ID, manager string) { o.write(of, manager, nil, nil) }

// Scale has a manager change the replicas of an object, whatever its kind.
func (o *Operator) Scale(of ID, manager string, from, to int) {
	before, after := int32(from), int32(to)
	o.write(of, manager, &before, &after)
}

// Flood adds objects that are called flood-0, flood-1 and so on. They are noted at once: a reader that
// follows them loses those that the journal has no room for.
func (o *Operator) Flood(kind string, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	deltas := make([]delta.Delta[any], n)
	for i := range deltas {
		deltas[i] = o.nextLocked(Demo(kind, fmt.Sprint("flood-", i)), "kubectl", nil, nil)
	}
	o.noteLocked(kind, deltas...)
}

func (o *Operator) write(of ID, manager string, from, to *int32) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.noteLocked(of.Kind, o.nextLocked(of, manager, from, to))
}

// nextLocked gives an object its next state. A Deployment stands for objects of all kinds.
func (o *Operator) nextLocked(of ID, manager string, from, to *int32) delta.Delta[any] {
	d := delta.Delta[any]{Op: delta.Added, Key: delta.Key{Namespace: of.Namespace, Name: of.Name}, Seen: time.Now()}
	about := metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Name, ResourceVersion: o.objects[of]}
	if about.ResourceVersion != "" {
		d.Op, d.Old = delta.Updated, &appsv1.Deployment{ObjectMeta: about, Spec: appsv1.DeploymentSpec{Replicas: from}}
	}
	o.version++
	d.Version = strconv.Itoa(o.version)
	about.ResourceVersion = d.Version
	about.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Time: &metav1.Time{Time: d.Seen}}}
	d.New = &appsv1.Deployment{ObjectMeta: about, Spec: appsv1.DeploymentSpec{Replicas: to}}
	o.objects[of] = d.Version
	return d
}

func (o *Operator) noteLocked(kind string, deltas ...delta.Delta[any]) {
	notes := o.Journal().Kind(kind, gvkOf(kind))
	notes.Begin()
	for i := range deltas {
		notes.Add(&deltas[i])
	}
	notes.End()
}

// Work has the operator called for a Site.
func (o *Operator) Work(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	item := &v1.Item{Namespace: "demo", Name: name, State: "ready", Queued: time.Now(), Why: []v1.Change{
		changeOf(Demo(Site, name), "Primary", "Added"), changeOf(Demo(Deployment, name), "Owned", "Added"),
	}}
	request := inspector.Request{Controller: Controller, Namespace: "demo", Name: name}
	if name == "slow" {
		item.State, item.Working = "working", time.Now().Add(-95*time.Second)
		o.queue[request] = item
		return
	}
	call := v1.Reconcile{
		ID: uint64(len(o.calls)) + 1, Controller: Controller, Namespace: "demo", Name: name, Began: time.Now(),
		Seconds: 0.004 + float64(len(o.calls)*37%211)/1000, Result: "success", Attempt: 1, Changes: item.Why,
		Steps: []v1.StepOutcome{
			{Name: "files", Result: "skipped", Because: "nothing it looks at has changed"},
			{Name: "deployment", Result: "done", Because: "spec.replicas changed"},
			{Name: "status", Result: "done", Because: "it always runs"},
		},
	}
	switch name {
	case "broken":
		call.Result, call.Attempt, call.Error = "error", 7, `update Deployment demo/broken: admission webhook "limits.example.com" denied the request: the image has no digest`
		call.Steps[1] = v1.StepOutcome{Name: "deployment", Result: "failed", Error: call.Error}
		item.State, item.Attempts, item.Due = "delayed", 7, time.Now().Add(16*time.Minute)
		o.queue[request] = item
	case "wiki":
		item.Why = []v1.Change{changeOf(Demo(Site, name), "Primary", "Updated")}
		o.queue[request] = item
	}
	o.calls = append(o.calls, call)
}

func changeOf(of ID, cause, op string) v1.Change {
	now := time.Now()
	return v1.Change{Causes: []string{cause}, Kind: of.Kind, Namespace: of.Namespace, Name: of.Name, Op: op, First: now, Last: now, Deltas: 1}
}

// Replicas is the edit that [Operator.Scale] makes.
func Replicas(from, to int) v1.Edit {
	return v1.Edit{Path: "spec.replicas", Op: "changed", Before: fmt.Sprint(from), After: fmt.Sprint(to)}
}

// Follow counts the streams.
func (o *Operator) Follow(q inspector.DeltaQuery) inspector.Stream {
	o.streams.Add(1)
	return stream{o.Operator.Follow(q), o}
}

type stream struct {
	inspector.Stream
	of *Operator
}

func (s stream) Close() {
	s.Stream.Close()
	s.of.streams.Add(-1)
}

// Streams is how many streams are open.
func (o *Operator) Streams() int { return int(o.streams.Load()) }
