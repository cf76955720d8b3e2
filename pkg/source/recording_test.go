package source_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// spy is a queue that remembers how it was called. What it returns is its own.
type spy struct {
	calls  []string
	during func() // called in each
}

func (s *spy) called(name string, args ...any) {
	s.calls = append(s.calls, name+fmt.Sprint(args...))
	if s.during != nil {
		s.during()
	}
}

func (s *spy) Add(item request)                           { s.called("Add", item) }
func (s *spy) AddAfter(item request, after time.Duration) { s.called("AddAfter", item, after) }
func (s *spy) AddRateLimited(item request)                { s.called("AddRateLimited", item) }
func (s *spy) Done(item request)                          { s.called("Done", item) }
func (s *spy) Forget(item request)                        { s.called("Forget", item) }
func (s *spy) ShutDown()                                  { s.called("ShutDown") }
func (s *spy) ShutDownWithDrain()                         { s.called("ShutDownWithDrain") }
func (s *spy) Len() int                                   { s.called("Len"); return 7 }
func (s *spy) Get() (request, bool)                       { s.called("Get"); return asked("got"), true }
func (s *spy) ShuttingDown() bool                         { s.called("ShuttingDown"); return true }
func (s *spy) NumRequeues(item request) int               { s.called("NumRequeues", item); return 9 }

// prioritySpy is a spy with priorities.
type prioritySpy struct{ spy }

func (s *prioritySpy) AddWithOpts(o priorityqueue.AddOpts, items ...request) {
	priority := "none"
	if o.Priority != nil {
		priority = fmt.Sprint(*o.Priority)
	}
	s.called("AddWithOpts", o.After, o.RateLimited, " ", priority, items)
}

func (s *prioritySpy) GetWithPriority() (request, int, bool) {
	s.called("GetWithPriority")
	return asked("got"), 5, true
}

func asked(name string) request {
	return request{NamespacedName: namespacedName(name)}
}

// startedWith is the queue that a source is started with by Recorded.
func startedWith(t *testing.T, q queue, ledger *delta.Ledger[request]) queue {
	t.Helper()
	var got queue
	s := source.Recorded(ctrlsource.TypedFunc[request](func(_ context.Context, q queue) error {
		got = q
		return nil
	}), ledger)
	started(t, t.Context(), s, q)
	if err := s.WaitForSync(t.Context()); err != nil {
		t.Errorf("a source that needs no waiting for: %v", err)
	}
	return got
}

// TestRecordingQueuePassesEverythingThrough calls each method that there is of both
// queues side by side, and compares results and calls.
func TestRecordingQueuePassesEverythingThrough(t *testing.T) {
	for name, queues := range map[string][2]queue{
		"workqueue":     {&spy{}, &spy{}},
		"priorityqueue": {&prioritySpy{}, &prioritySpy{}},
	} {
		t.Run(name, func(t *testing.T) {
			recording := startedWith(t, queues[1], delta.NewLedger[request](delta.LedgerOptions{}))
			_, before := queues[0].(priorityqueue.PriorityQueue[request])
			_, after := recording.(priorityqueue.PriorityQueue[request])
			if before != after {
				t.Fatalf("the queue has priorities: %t, through the recording queue: %t", before, after)
			}
			interfaceType := reflect.TypeFor[queue]()
			if before {
				interfaceType = reflect.TypeFor[priorityqueue.PriorityQueue[request]]()
			}
			for i := range interfaceType.NumMethod() {
				method := interfaceType.Method(i)
				var results [2]string
				for n, q := range []queue{queues[0], recording} {
					results[n] = invoke(reflect.ValueOf(q).MethodByName(method.Name))
				}
				if results[0] != results[1] {
					t.Errorf("%s returns %s, through the recording queue %s", method.Name, results[0], results[1])
				}
			}
			calls := func(q queue) []string {
				if p, ok := q.(*prioritySpy); ok {
					return p.calls
				}
				return q.(*spy).calls
			}
			if got, want := calls(queues[1]), calls(queues[0]); !slices.Equal(got, want) || len(got) != interfaceType.NumMethod() {
				t.Errorf("the queue was called\n%q, want\n%q", got, want)
			}
		})
	}
}

// invoke calls a method with arguments that are not zero.
func invoke(method reflect.Value) string {
	var args []reflect.Value
	for i := range method.Type().NumIn() {
		switch in := method.Type().In(i); in {
		case reflect.TypeFor[request]():
			args = append(args, reflect.ValueOf(asked("a")))
		case reflect.TypeFor[time.Duration]():
			args = append(args, reflect.ValueOf(time.Minute))
		case reflect.TypeFor[priorityqueue.AddOpts]():
			args = append(args, reflect.ValueOf(priorityqueue.AddOpts{After: time.Hour, RateLimited: true, Priority: new(3)}))
		case reflect.TypeFor[[]request]():
			args = append(args, reflect.ValueOf([]request{asked("a"), asked("b")}))
		default:
			panic("no argument for a " + in.String())
		}
	}
	call := method.Call
	if method.Type().IsVariadic() {
		call = method.CallSlice
	}
	var results string
	for _, result := range call(args) {
		results += fmt.Sprintf("%v ", result)
	}
	return results
}

// TestItIsRecordedBeforeItIsAdded asks the ledger from within each way to add, as a
// worker could that is quick; and again when it has been dealt with: a request that comes
// later, as what is delayed may, is no surprise then.
func TestItIsRecordedBeforeItIsAdded(t *testing.T) {
	type priorities = priorityqueue.PriorityQueue[request]
	for name, c := range map[string]struct {
		add   func(priorities)
		again delta.Cause // zero: nothing is known
	}{
		"Add":                        {func(q priorities) { q.Add(asked("a")) }, 0},
		"AddAfter no time":           {func(q priorities) { q.AddAfter(asked("a"), 0) }, 0},
		"AddAfter":                   {func(q priorities) { q.AddAfter(asked("a"), time.Minute) }, delta.Timer},
		"AddRateLimited":             {func(q priorities) { q.AddRateLimited(asked("a")) }, delta.Timer},
		"AddWithOpts":                {func(q priorities) { q.AddWithOpts(priorityqueue.AddOpts{}, asked("a")) }, 0},
		"AddWithOpts, later":         {func(q priorities) { q.AddWithOpts(priorityqueue.AddOpts{After: time.Minute}, asked("a")) }, delta.Timer},
		"AddWithOpts, as is allowed": {func(q priorities) { q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, asked("a")) }, delta.Timer},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := delta.NewLedger[request](delta.LedgerOptions{})
			ledger.Record(asked("a"), delta.Change{Cause: delta.External})
			ledger.Landed(asked("a"))
			ledger.Take(asked("a"))
			ledger.Settle(asked("a"), delta.Succeeded)

			to := &prioritySpy{}
			c.add(startedWith(t, to, ledger).(priorities))
			if got := ledger.Take(asked("a")); !got.Complete() || !got.Has(delta.External) {
				t.Errorf("after the add the ledger has %s", got)
			}
			ledger.Settle(asked("a"), delta.Succeeded)
			if got := ledger.Take(asked("a")); got.Complete() != (c.again != 0) || c.again != 0 && !got.Has(c.again) {
				t.Errorf("to a worker that has the request again the ledger says %s", got)
			}
			ledger.Settle(asked("a"), delta.Succeeded)

			seen := false
			to.during = func() {
				seen = ledger.Take(asked("a")).Has(delta.External)
				ledger.Settle(asked("a"), delta.Succeeded)
			}
			c.add(startedWith(t, to, ledger).(priorities))
			if !seen {
				t.Error("it was added before it was recorded")
			}
		})
	}
}

// TestAQueueThatIsKeptAddsForItsOwnChange has a handler keep each queue, and add to them
// from other goroutines when the deliveries are over.
func TestAQueueThatIsKeptAddsForItsOwnChange(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := newInformer(server)
		run(pods.RunWithContext)
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		var mu sync.Mutex // guards kept
		kept := map[string]queue{}
		k := ledgered(holding(pods), ledger, funcs{
			UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*podObject], q queue) {
				mu.Lock()
				defer mu.Unlock()
				kept[e.ObjectNew.Labels["version"]] = q
			},
		})
		startedSynced(t, k, newQueue(t))
		server.Add(pod("web", "1"))
		server.Modify(pod("web", "2"))
		server.Modify(pod("web", "3"))
		synctest.Wait()
		var adding sync.WaitGroup
		for version, q := range kept {
			for range 3 {
				adding.Go(func() { q.Add(asked("for " + version)) })
			}
		}
		adding.Wait()
		for _, version := range []string{"2", "3"} {
			changes := slices.Collect(ledger.Take(asked("for " + version)).All())
			if len(changes) != 1 || changes[0].New.GetLabels()["version"] != version || changes[0].Deltas != 1 {
				t.Errorf("for version %s it has %v", version, changes)
			}
		}
		if len(kept) != 2 {
			t.Errorf("the handler was told of %d updates", len(kept))
		}
	})
}

// TestRecordedTwiceIsRecordedOnce nests what records.
func TestRecordedTwiceIsRecordedOnce(t *testing.T) {
	ledger := delta.NewLedger[request](delta.LedgerOptions{})
	var got queue
	inner := ctrlsource.TypedFunc[request](func(_ context.Context, q queue) error { got = q; return nil })
	started(t, t.Context(), source.Recorded(source.Recorded(inner, ledger), ledger), &spy{})
	got.Add(asked("a"))
	for c := range ledger.Take(asked("a")).All() {
		if c.Deltas != 1 {
			t.Errorf("one add was recorded %d times", c.Deltas)
		}
	}
	q := queue(&spy{})
	if with := startedWith(t, q, nil); with != q {
		t.Error("without a ledger it is started with another queue")
	}
}

// TestAnyOtherSourceIsExternal looks at the source that is controller-runtime's own Kind,
// and at what it is called.
func TestAnyOtherSourceIsExternal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pods := newFakeInformer()
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		theirs := ctrlsource.Kind(holding(pods), &podObject{}, &handler.TypedEnqueueRequestForObject[*podObject]{})
		s := source.Recorded(theirs, ledger)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[request]())
		defer q.ShutDown()
		started(t, ctx, s, q)
		if err := s.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		pods.Add(pod("web", "1"))
		if got := ledger.Take(asked("web")); got.String() != "External (incomplete: the request has not succeeded since the controller started, or since changes were last missed)" {
			t.Errorf("the ledger has %s", got)
		}
		if got, want := fmt.Sprint(s), fmt.Sprint(theirs); got != want {
			t.Errorf("it calls itself %q, want %q", got, want)
		}
		if got := fmt.Sprint(source.Recorded(nameless{}, ledger)); got != "source_test.nameless" {
			t.Errorf("a source without a name is called %q", got)
		}
	})
}

type nameless struct{}

func (nameless) Start(context.Context, queue) error { return nil }
