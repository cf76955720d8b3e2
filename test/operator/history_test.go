package operator

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// history is what has really happened in a namespace. It has every state of every object,
// from a plain watch of each kind, and the writer of each state, from the writers themselves.
type history struct {
	mu      sync.Mutex // guards everything below
	states  map[place][]state
	newest  uint64
	writers map[written]string
}

// place is a kind and a key. Several objects may have the same place, one after the other.
type place struct {
	kind string
	key  delta.Key
}

// state is the state of an object from one version to the next.
type state struct {
	version uint64
	uid     types.UID
	deleted bool
	about   map[string]bool // the names of the widgets that the object is for
}

// written identifies one version of an object.
type written struct {
	uid     types.UID
	version string
}

// newHistory follows the kinds in a namespace until the test ends.
func newHistory(t *testing.T, config *rest.Config, namespace string, of ...schema.GroupVersionKind) *history {
	t.Helper()
	h := &history{states: map[place][]state{}, writers: map[written]string{}}
	connections, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	api, err := client.NewWithWatch(config, client.Options{HTTPClient: connections, Scheme: newScheme()})
	if err != nil {
		t.Fatal(err)
	}
	var following sync.WaitGroup
	var streams []watch.Interface
	t.Cleanup(func() {
		for _, stream := range streams {
			stream.Stop()
		}
		following.Wait()
		controlplane.HangUp(connections)
	})
	for _, gvk := range of {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk)
		stream, err := api.Watch(context.Background(), list, client.InNamespace(namespace))
		if err != nil {
			t.Fatal(err)
		}
		streams = append(streams, stream)
		following.Go(func() {
			for e := range stream.ResultChan() {
				if obj, ok := e.Object.(*unstructured.Unstructured); ok {
					h.note(e.Type, obj)
				}
			}
		})
	}
	return h
}

func (h *history) note(what watch.EventType, obj *unstructured.Unstructured) {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := place{obj.GetKind(), delta.Key{Namespace: obj.GetNamespace(), Name: obj.GetName()}}
	s := state{version: number(obj.GetResourceVersion()), uid: obj.GetUID(), deleted: what == watch.Deleted, about: concerned(obj)}
	h.states[of] = append(h.states[of], s)
	h.newest = max(h.newest, s.version)
}

// wrote notes the writer of a version.
func (h *history) wrote(who string, obj client.Object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.writers[written{obj.GetUID(), obj.GetResourceVersion()}] = who
}

// by returns the writer of a version. It is empty if nobody has noted one.
func (h *history) by(obj client.Object) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.writers[written{obj.GetUID(), obj.GetResourceVersion()}]
}

// widgetsAnnotation names the widgets that a ConfigMap is for.
const widgetsAnnotation = "operator.delta-runtime.dev/widgets"

// concerned returns the widgets that the controller has to reconcile because of an object. It
// has the same rules as the controller, written a second time.
func concerned(obj client.Object) map[string]bool {
	names := map[string]bool{}
	switch kind := obj.GetObjectKind().GroupVersionKind().Kind; kind {
	case "Widget":
		names[obj.GetName()] = true
	case "Deployment":
		if owner := metav1.GetControllerOf(obj); owner != nil {
			names[owner.Name] = true
		}
	case "ConfigMap":
		for name := range strings.SplitSeq(obj.GetAnnotations()[widgetsAnnotation], ",") {
			names[name] = true
		}
	default:
		panic("BUG: no rule says which widgets to reconcile for a " + kind)
	}
	delete(names, "")
	return names
}

func number(version string) uint64 {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("BUG: the server's version is %q", version))
	}
	return n
}

// period is the time from one version to another.
type period struct{ after, until uint64 }

// span is a part of an object's history: the changes after from, up to to.
type span struct {
	of       place
	from, to uint64
}

// covers reports whether all of other is in s.
func (s span) covers(other span) bool {
	return s.of == other.of && s.from <= other.from && other.to <= s.to
}

// spanOf returns the part of history that a change describes. It is an error if that has not
// happened, or has happened differently.
func (h *history) spanOf(c delta.Change) (span, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := span{of: place{c.Kind.Kind, c.Key}}
	states := h.states[s.of]
	at := func(obj delta.Object) (int, error) {
		for i := range states {
			if states[i].uid == obj.GetUID() && states[i].version == number(obj.GetResourceVersion()) {
				return i, nil
			}
		}
		return 0, fmt.Errorf("version %s of %s has never existed", obj.GetResourceVersion(), obj.GetUID())
	}
	from, to := -1, -1
	var err error
	if c.Old != nil {
		if from, err = at(c.Old); err != nil {
			return s, err
		}
		s.from = states[from].version
	}
	if c.New != nil {
		if to, err = at(c.New); err != nil {
			return s, err
		}
		s.to = states[to].version
	}
	switch c.Op {
	case delta.Added:
		if begins := to == 0 || states[to-1].deleted; !begins && c.Cause != delta.InitialList {
			return s, fmt.Errorf("existed before version %d", s.to)
		}
		s.from = 0 // the earlier history is not known, and no later change describes it
	case delta.Updated:
		if from >= to || states[to].deleted {
			return s, fmt.Errorf("did not go from %d to %d", s.from, s.to)
		}
		if c.Deltas > to-from {
			return s, fmt.Errorf("%d deltas from %d to %d, want at most %d", c.Deltas, s.from, s.to, to-from)
		}
	case delta.Deleted:
		if to < 0 || !states[to].deleted || from >= to {
			return s, fmt.Errorf("was not deleted at %d, after %d", s.to, s.from)
		}
	case delta.Sync:
		if from != to {
			return s, fmt.Errorf("changed from %d to %d", s.from, s.to)
		}
	default:
		return s, fmt.Errorf("no step of a history is %s", c.Op)
	}
	return s, nil
}

// concerns reports whether a state in a span is for a widget, or the state just before it.
func (h *history) concerns(s span, widget string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, at := range h.states[s.of] {
		if s.from <= at.version && at.version <= s.to && at.about[widget] {
			return true
		}
	}
	return false
}

// events returns the steps of a period that are for a widget.
func (h *history) events(widget string, in period) []span {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []span
	for of, states := range h.states {
		before := state{}
		for _, at := range states {
			if in.after < at.version && at.version <= in.until && (at.about[widget] || !before.deleted && before.about[widget]) {
				step := span{of, before.version, at.version}
				if before.deleted {
					step.from = 0
				}
				all = append(all, step)
			}
			before = at
		}
	}
	return all
}

// now is the newest version that is known.
func (h *history) now() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.newest
}

var deployments = kind{
	appsv1.SchemeGroupVersion.WithKind("Deployment"),
	func() client.Object { return &appsv1.Deployment{} }, func() client.ObjectList { return &appsv1.DeploymentList{} },
}
