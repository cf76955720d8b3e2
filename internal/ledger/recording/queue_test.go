package recording_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	ledgers "github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/ledger/recording"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// The types of most controllers.
type (
	request = reconcile.Request
	queue   = workqueue.TypedRateLimitingInterface[request]
)

// spy is a queue that remembers how it was called. Its results are its own.
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
	return request{NamespacedName: types.NamespacedName{Namespace: "team", Name: name}}
}

// recorded is a queue that records what is added through it as External.
func recorded(to queue, ledger *delta.Ledger[request]) queue {
	return recording.NewQueue(to, recording.Reason[request]{Ledger: ledger, Change: delta.Change{Cause: delta.External}})
}

// TestRecordingQueuePassesEverythingThrough calls each method that there is of both
// queues side by side, and compares results and calls.
func TestRecordingQueuePassesEverythingThrough(t *testing.T) {
	for name, queues := range map[string][2]queue{
		"workqueue":     {&spy{}, &spy{}},
		"priorityqueue": {&prioritySpy{}, &prioritySpy{}},
	} {
		t.Run(name, func(t *testing.T) {
			recording := recorded(queues[1], delta.NewLedger[request](delta.LedgerOptions{}))
			interfaceType := reflect.TypeFor[queue]()
			if name == "priorityqueue" {
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
// later, as a delayed one may, is not a surprise then.
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
			ledger.Clerk().Record(asked("a"), delta.Change{Cause: delta.External})
			ledger.Clerk().Landed(asked("a"))
			ledger.Clerk().Take(asked("a"))
			ledger.Clerk().Settle(asked("a"), ledgers.Succeeded)

			to := &prioritySpy{}
			c.add(recorded(to, ledger).(priorities))
			if got := ledger.Clerk().Take(asked("a")); !got.Complete() || !got.Has(delta.External) {
				t.Errorf("after the add the ledger has %s", got)
			}
			ledger.Clerk().Settle(asked("a"), ledgers.Succeeded)
			if got := ledger.Clerk().Take(asked("a")); got.Complete() != (c.again != 0) || c.again != 0 && !got.Has(c.again) {
				t.Errorf("to a worker that has the request again the ledger says %s", got)
			}
			ledger.Clerk().Settle(asked("a"), ledgers.Succeeded)

			seen := false
			to.during = func() {
				seen = ledger.Clerk().Take(asked("a")).Has(delta.External)
				ledger.Clerk().Settle(asked("a"), ledgers.Succeeded)
			}
			c.add(recorded(to, ledger).(priorities))
			if !seen {
				t.Error("it was added before it was recorded")
			}
		})
	}
}

// A resync leaves out a request that was taken care of a moment ago. It does not leave out one whose last call has failed, nor one that
// succeeded in the future, before somebody set the clock back.
func TestWhatIsNotTakenCareOfIsNotLeftOut(t *testing.T) {
	for name, tt := range map[string]struct {
		then func(ledgers.Clerk[request, delta.Change, delta.Cause, delta.Changes])
		past bool // the queue's clock is behind
		want int
	}{
		"it has succeeded": {then: func(ledgers.Clerk[request, delta.Change, delta.Cause, delta.Changes]) {}},
		"it has failed since": {then: func(c ledgers.Clerk[request, delta.Change, delta.Cause, delta.Changes]) {
			c.Record(asked("a"), delta.Change{Cause: delta.Generic})
			c.Take(asked("a"))
			c.Settle(asked("a"), ledgers.Failed)
		}, want: 1},
		"the clock was set back": {then: func(ledgers.Clerk[request, delta.Change, delta.Cause, delta.Changes]) {}, past: true, want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			ledger, to := delta.NewLedger[request](delta.LedgerOptions{}), &prioritySpy{}
			ledger.Clerk().Take(asked("a"))
			ledger.Clerk().Settle(asked("a"), ledgers.Succeeded)
			tt.then(ledger.Clerk())
			add := func(*testing.T) {
				recording.NewQueue(to, recording.Reason[request]{Ledger: ledger, Rest: time.Hour}).Add(asked("a"))
			}
			if tt.past { // in a bubble it is the year 2000
				synctest.Test(t, add)
			} else {
				add(t)
			}
			if len(to.calls) != tt.want {
				t.Errorf("the queue was called: %q, want %d calls", to.calls, tt.want)
			}
		})
	}
}
