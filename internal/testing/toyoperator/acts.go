package toyoperator

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/inspector"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Resync shows the objects of a kind again.
func (o *Operator) Resync(_ context.Context, kind string, selector labels.Selector) (v1.Done, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	shown := 0
	for of, it := range o.objects {
		if of.Kind == kind && selector.Matches(labels.Set(it.labels)) && o.refuseActs == nil {
			o.tellLocked(of, v1.Delta{Op: "Sync"})
			shown++
		}
	}
	return v1.Done{Message: fmt.Sprintf("%d objects of %s will be shown again.", shown, kind)}, o.refuseActs
}

// Relist counts a list.
func (o *Operator) Relist(_ context.Context, kind string) (v1.Done, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.relists[kind]++
	return v1.Done{Message: kind + " will be listed again."}, o.refuseActs
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
	if o.refuseActs == nil {
		o.policies[kind] = text
	}
	return v1.Done{Message: "Objects of " + kind + " are shown " + text + "."}, o.refuseActs
}

// Forget has a request be tried at once.
func (o *Operator) Forget(_ context.Context, r inspector.Request) (v1.Done, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.queue[r] == nil {
		return v1.Done{}, fmt.Errorf("%s/%s in the queue of %s: %w", r.Namespace, r.Name, r.Controller, inspector.ErrNotFound)
	}
	o.failures[r] = 0
	o.queue[r].Due, o.queue[r].State, o.queue[r].Attempts = time.Time{}, "ready", 0
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
