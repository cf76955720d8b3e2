package toyoperator

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Resync shows the objects of a kind again, and requests those that are Sites.
func (o *Operator) Resync(_ context.Context, kind string, selector labels.Selector) (v1.Done, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var shown []delta.Delta[any]
	for of, version := range o.objects {
		if of.Kind != kind || !selector.Matches(labels.Set{"app": of.Name}) {
			continue
		}
		shown = append(shown, delta.Delta[any]{
			Op: delta.Sync, Key: delta.Key{Namespace: of.Namespace, Name: of.Name}, Version: version, Seen: time.Now(),
		})
		if kind == Site {
			o.requestLocked(of)
		}
	}
	o.noteLocked(kind, shown...)
	return v1.Done{Message: fmt.Sprintf("%d objects of %s will be shown again.", len(shown), kind)}, nil
}

func (o *Operator) requestLocked(of ID) {
	r := inspector.Request{Controller: Controller, Namespace: of.Namespace, Name: of.Name}
	if o.queue[r] == nil {
		o.queue[r] = &v1.Item{Namespace: of.Namespace, Name: of.Name, State: "ready", Queued: time.Now()}
	}
	o.queue[r].Why = append(o.queue[r].Why, changeOf(of, "Resync", "Sync"))
}

// Relist counts a list.
func (o *Operator) Relist(_ context.Context, kind string) (v1.Done, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.relists[kind]++
	return v1.Done{Message: kind + " will be listed again."}, nil
}

// SetPolicy changes when a kind is resynced.
func (o *Operator) SetPolicy(_ context.Context, kind string, policy resync.Policy) (v1.Done, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := "never"
	if policy.Period != resync.Never {
		text = "every " + policy.Period.String()
	}
	if policy.Rate > 0 {
		text += fmt.Sprintf(", at most %v objects a second", policy.Rate)
	}
	o.policies[kind] = text
	return v1.Done{Message: "Objects of " + kind + " are shown " + text + "."}, nil
}

// Forget has a request be tried at once. It fails again.
func (o *Operator) Forget(_ context.Context, r inspector.Request) (v1.Done, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	item := o.queue[r]
	if item == nil {
		return v1.Done{}, fmt.Errorf("%s/%s in the queue of %s: %w", r.Namespace, r.Name, r.Controller, inspector.ErrNotFound)
	}
	item.State, item.Attempts, item.Due = "delayed", 1, time.Now().Add(10*time.Second)
	return v1.Done{Message: "The failures of " + r.Namespace + "/" + r.Name + " are forgotten. It is tried at once."}, nil
}

// Cancel takes a delayed request out of the queue.
func (o *Operator) Cancel(_ context.Context, r inspector.Request) (v1.Done, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if item := o.queue[r]; item == nil || item.State != "delayed" {
		return v1.Done{}, fmt.Errorf("%s/%s is not delayed: %w", r.Namespace, r.Name, inspector.ErrUnable)
	}
	delete(o.queue, r)
	return v1.Done{Message: "The delay of " + r.Namespace + "/" + r.Name + " is cancelled."}, nil
}
