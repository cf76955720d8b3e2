package answers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// many is how many Pods the crowd has.
const many = 100_000

// requests is a controller all of whose requests wait for a worker.
type requests struct{ observe.Remembered }

func (requests) Contents(limit int) (all []queue.Entry[delta.Key]) {
	for n := range min(limit, many) {
		all = append(all, queue.Entry[delta.Key]{Key: delta.Key{Namespace: "team", Name: fmt.Sprint("pod-", n)}, Queued: time.Now()})
	}
	return all
}

func (requests) Entry(of delta.Key) (queue.Entry[delta.Key], bool) {
	return queue.Entry[delta.Key]{Key: of, Queued: time.Now()}, true
}
func (requests) Waiting(delta.Key) delta.Changes         { return delta.NewChanges() }
func (requests) LastSuccess(delta.Key) (time.Time, bool) { return time.Time{}, false }
func (requests) Forget(delta.Key) bool                   { return false }
func (requests) Cancel(delta.Key) bool                   { return false }

// operatorOfMany returns an operator of many Pods, with a journal that is full, and one Pod to ask about.
func operatorOfMany(t *testing.T) (*Operator, delta.Key) {
	t.Helper()
	var pods listed
	for n := range many {
		pods = append(pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: fmt.Sprint("pod-", n), ResourceVersion: "1"}})
	}
	k := kindOf("v1 Pod", pods)
	tasks := lifecycle.New(t.Context())
	tasks.Go("informer", k.Informer.Run)
	t.Cleanup(func() { tasks.Stop(); _ = tasks.Wait() })
	await.Until(t, "the Pods to be there", k.Informer.HasSynced)
	of := managed.New()
	t.Cleanup(of.Runs(&household{kinds: []observe.Kind{k}}))
	t.Cleanup(of.Reconciles(&observe.Controller{
		Name: "pods", Kind: k.GVK, Calls: &observe.Calls{}, Requests: requests{},
		Queue:     func() (queue.Stats, bool) { return queue.Stats{Served: true}, true },
		HeldUntil: func(delta.Key) time.Time { return time.Now().Add(time.Minute) },
	}))
	o := New(Options{Runtime: of})
	notes, calls := o.journal.Kind(k.Name, k.GVK), o.journal.Controller("pods")
	key := delta.Key{Namespace: "team", Name: "pod-77777"}
	for n := range 2000 {
		key := key
		if n%2 == 0 {
			key.Name = fmt.Sprint("pod-", n)
		}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, ResourceVersion: fmt.Sprint(n)}}
		notes.Begin()
		notes.Add(&delta.Delta[any]{Op: delta.Updated, Key: key, Old: pod, New: pod})
		notes.End()
		calls.Note(journal.Call{Request: key, Result: journal.Success, Changes: delta.NewChanges(delta.Change{Kind: k.GVK, Key: key, New: pod})})
	}
	return o, key
}

// askWhy asks why of the Pod.
func askWhy(t *testing.T, o *Operator, key delta.Key) {
	t.Helper()
	why, err := o.Why("v1 Pod", key.Namespace, key.Name)
	if err != nil || !why.Cached || len(why.Requests) != 1 || why.Requests[0].State != "ready" || len(why.Told) != lately || len(why.Deltas) != lately {
		t.Fatalf("why answers %+v, %v", why, err)
	}
	if says := why.Requests[0].Summary; !strings.Contains(says, " held back by the guard for another 1m0s") {
		t.Errorf("of a request that is held back it says %q", says)
	}
}

// TestAnswersAmongMany asks for all that there is of one Pod among many. No time passes meanwhile: it is a bubble's.
func TestAnswersAmongMany(t *testing.T) {
	o, key := operatorOfMany(t)
	synctest.Test(t, func(t *testing.T) {
		askWhy(t, o, key)
		if queues := o.Queues("pods", 100).Items; len(queues[0].Items) != 100 || !queues[0].More {
			t.Errorf("of a long queue there are %d requests, more: %v", len(queues[0].Items), queues[0].More)
		}
		askMemory(t, o)
		if why, err := o.Why("v1 Pod", "", key.Name); err != nil || len(why.Deltas) > 0 {
			t.Errorf("of an object without a namespace there are %d changes, error %v", len(why.Deltas), err)
		}
	})
}

// slowly is a list that does not come.
type slowly struct{ listed }

func (slowly) List(ctx context.Context, _ metav1.ListOptions) (listwatch.Page[any], error) {
	<-ctx.Done()
	return listwatch.Page[any]{}, ctx.Err()
}

// waitingFor returns a runtime with a controller of Pods that are synced, and Secrets that are not.
func waitingFor(t *testing.T, served *bool) *managed.Runtime {
	t.Helper()
	of, synced := managed.New(), kindOf("v1 Pod", listed{})
	tasks := lifecycle.New(t.Context())
	tasks.Go("informer", synced.Informer.Run)
	t.Cleanup(func() { tasks.Stop(); _ = tasks.Wait() })
	await.Until(t, "the Pods to be there", synced.Informer.HasSynced)
	slow := kindOf("v1 Secret", slowly{})
	tasks.Go("slow", slow.Informer.Run)
	await.Until(t, "the Secrets to be asked for", func() bool { return slow.Informer.Status().Reflector.State != "Idle" })
	t.Cleanup(of.Runs(&household{kinds: []observe.Kind{synced, slow, kindOf("v1 Node", listed{})}}))
	t.Cleanup(of.Reconciles(&observe.Controller{
		Name: "pods", Kind: synced.GVK, Calls: &observe.Calls{}, Requests: requests{},
		Queue: func() (queue.Stats, bool) { return queue.Stats{Served: *served}, true },
	}))
	return of
}

// TestWhyBeforeTheWorkers asks of a controller that waits for a kind.
func TestWhyBeforeTheWorkers(t *testing.T) {
	var served bool
	o := New(Options{Runtime: waitingFor(t, &served)})
	const waits = "The controller has not started: it first waits until all that it watches is synced. Not synced: v1 Secret."
	for _, served = range []bool{false, true} {
		why, err := o.Why("v1 Pod", "team", "web")
		if err != nil || strings.Contains(why.Requests[0].Summary, waits) == served {
			t.Errorf("with workers %v, why says %q, %v", served, why.Requests[0].Summary, err)
		}
	}
}

// TestWhyOfAFailureAmongOtherCalls asks of a request whose call other calls have pushed out.
func TestWhyOfAFailureAmongOtherCalls(t *testing.T) {
	served := true
	o := New(Options{Runtime: waitingFor(t, &served), Limits: journal.Limits{Calls: 2}})
	calls := o.journal.Controller("pods")
	calls.Note(journal.Call{Request: delta.Key{Namespace: "team", Name: "bad"}, Began: time.Now(), Result: journal.Error, Err: errors.New("no quota")})
	for range 3 {
		why, err := o.Why("v1 Pod", "team", "bad")
		if err != nil || !strings.Contains(why.Requests[0].Summary, "no quota") {
			t.Errorf("why says %q, %v", why.Requests[0].Summary, err)
		}
		calls.Note(journal.Call{Request: delta.Key{Namespace: "team", Name: "web"}, Result: journal.Success})
	}
}
