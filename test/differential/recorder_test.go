package differential

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// event is a call of a handler.
type event struct {
	op      string
	initial bool
	old     client.Object // of an update
	object  client.Object
}

func (e event) String() string {
	text := fmt.Sprintf("%s to version %s", e.op, e.object.GetResourceVersion())
	if e.old != nil {
		text += " from " + e.old.GetResourceVersion()
	}
	if e.initial {
		text += " (initial)"
	}
	if gvk := e.object.GetObjectKind().GroupVersionKind(); gvk != (schema.GroupVersionKind{}) {
		text += fmt.Sprintf(" [%s]", gvk.Kind)
	}
	return text
}

// recorder is a handler that records its calls.
type recorder struct {
	mu     sync.Mutex // guards everything below
	events map[key][]event
	beats  map[key]int   // the last beat of each marker
	news   chan struct{} // closed and replaced when a marker changes
	odd    []string      // calls that no handler should get
}

func newRecorder() *recorder {
	return &recorder{events: map[key][]event{}, beats: map[key]int{}, news: make(chan struct{})}
}

var _ cache.ResourceEventHandler = &recorder{}

func (r *recorder) OnAdd(obj any, isInInitialList bool) {
	r.record(event{op: "add", initial: isInInitialList}, obj)
}

func (r *recorder) OnUpdate(old, obj any) {
	before, ok := old.(client.Object)
	if !ok {
		r.note("update from %T", old)
		return
	}
	if after, ok := obj.(client.Object); ok && before.GetResourceVersion() == after.GetResourceVersion() {
		return // a resync
	}
	r.record(event{op: "update", old: before}, obj)
}

func (r *recorder) OnDelete(obj any) {
	op := "delete"
	if missed, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		op, obj = "missed delete", missed.Obj
	}
	r.record(event{op: op}, obj)
}

func (r *recorder) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.odd = append(r.odd, fmt.Sprintf(format, args...))
}

func (r *recorder) record(e event, obj any) {
	object, ok := obj.(client.Object)
	if !ok {
		r.note("%s of %T", e.op, obj)
		return
	}
	e.object = object
	at := client.ObjectKeyFromObject(object)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events[at] = append(r.events[at], e)
	if at.Name != marker {
		return
	}
	beat, _ := strconv.Atoi(object.GetAnnotations()[beatAnnotation]) // none is the zeroth
	r.beats[at] = beat
	close(r.news)
	r.news = make(chan struct{})
}

// markers returns the keys of the markers that the recorder was told of.
func (r *recorder) markers() []key {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []key
	for at := range r.beats {
		all = append(all, at)
	}
	return all
}

// await waits until the markers show the beat.
func (r *recorder) await(ctx context.Context, markers []key, beat int) error {
	for {
		late, news := r.late(markers, beat)
		if len(late) == 0 {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return fmt.Errorf("wait for beat %d of the markers %v: %w", beat, late, ctx.Err())
		}
	}
}

func (r *recorder) late(markers []key, beat int) (late []key, news <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, at := range markers {
		if r.beats[at] < beat {
			late = append(late, at)
		}
	}
	return late, r.news
}

// told returns the events up to now.
func (r *recorder) told() (events map[key][]event, odd []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	events = map[key][]event{}
	for at, all := range r.events {
		events[at] = all[:len(all):len(all)]
	}
	return events, r.odd
}
