package events

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
)

// server is a sink that answers as it is told.
type server struct {
	mu               sync.Mutex // guards everything below
	answer           func(call int) error
	calls            int
	created, patched []*corev1.Event
	takes            time.Duration
}

func (s *server) ask() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	time.Sleep(s.takes) // of a bubble's time
	s.calls++
	if s.answer == nil {
		return nil
	}
	return s.answer(s.calls)
}

func (s *server) Create(e *corev1.Event) (*corev1.Event, error) {
	if err := s.ask(); err != nil {
		return nil, err
	}
	s.created = append(s.created, e)
	return e, nil
}

func (s *server) Patch(e *corev1.Event, _ []byte) (*corev1.Event, error) {
	if err := s.ask(); err != nil {
		return nil, err
	}
	s.patched = append(s.patched, e)
	return e, nil
}

func (s *server) Update(*corev1.Event) (*corev1.Event, error) { return nil, errors.New("not expected") }

// bench is a broadcaster that runs, in a bubble.
type bench struct {
	*Broadcaster
	record.EventRecorder
	stop func()
}

func run(t *testing.T, sink record.EventSink, o Options) *bench {
	t.Helper()
	b, err := NewBroadcaster(o)
	if err != nil {
		t.Fatal(err)
	}
	b.StartRecordingToSink(sink)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = b.Start(ctx) })
	stop := sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(stop)
	return &bench{Broadcaster: b, EventRecorder: b.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "test"}), stop: stop}
}

func (b *bench) outcomes(t *testing.T) map[outcome]int {
	t.Helper()
	counts := map[outcome]int{}
	for _, o := range allOutcomes {
		var m dto.Metric
		if err := b.Broadcaster.outcomes.WithLabelValues(string(o)).Write(&m); err != nil {
			t.Fatal(err)
		}
		if n := int(m.GetCounter().GetValue()); n > 0 {
			counts[o] = n
		}
	}
	return counts
}

func (b *bench) want(t *testing.T, want map[outcome]int) {
	t.Helper()
	if got := b.outcomes(t); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the outcomes are %v, want %v", got, want)
	}
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: "u"}}
}

func TestEventsAreWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &server{}
		b := run(t, api, Options{})
		b.Eventf(pod("a"), corev1.EventTypeNormal, "Made", "made %d", 1)
		b.Event(pod("b"), corev1.EventTypeNormal, "Made", "made 2")
		for range 3 {
			b.Event(pod("a"), corev1.EventTypeNormal, "Made", "made 1")
		}
		synctest.Wait()
		b.want(t, map[outcome]int{written: 2, aggregated: 3})
		if api.created[0].Message != "made 1" || api.created[0].InvolvedObject.Kind != "Pod" || api.created[0].Namespace != "team" ||
			api.created[0].Source.Component != "test" || api.created[0].Name == api.created[1].Name {
			t.Errorf("created %+v", api.created)
		}
		if last := api.patched[2]; last.Count != 4 || last.Name != api.created[0].Name {
			t.Errorf("patched %+v", last)
		}
	})
}

func TestTooManyOfAKindAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &server{}, Options{})
		for i := range 100 {
			b.Eventf(pod("a"), corev1.EventTypeNormal, "Made", "made %d", i)
		}
		synctest.Wait()
		got := b.outcomes(t)
		if got[rateLimited] != 75 || got[written]+got[aggregated] != 25 {
			t.Errorf("the outcomes are %v", got)
		}
	})
}

func TestAFullQueueDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		log := funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{})
		b := run(t, &server{takes: time.Second}, Options{Queue: 5, Log: log})
		b.Event(pod("first"), corev1.EventTypeNormal, "Made", "made")
		synctest.Wait() // it is being written
		for i := range 12 {
			b.Event(pod(fmt.Sprint("p", i)), corev1.EventTypeNormal, "Made", "made")
		}
		b.want(t, map[outcome]int{queueFull: 7})
		if len(lines) != 1 {
			t.Errorf("logged %q, want one line for all that were dropped", lines)
		}
		time.Sleep(time.Minute)
		b.want(t, map[outcome]int{queueFull: 7, written: 6})
		b.Event(pod("a"), "Odd", "Made", "made")
		if len(lines) != 2 {
			t.Errorf("logged %q, want another line after a minute", lines)
		}
	})
}

func TestAnswers(t *testing.T) {
	down := errors.New("connection refused")
	busy := apierrors.NewTooManyRequests("later", 1)
	forbidden := apierrors.NewForbidden(corev1.Resource("events"), "e", errors.New("no"))
	until := func(n int, err error) func(int) error {
		return func(call int) error {
			if call <= n {
				return err
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		answer func(int) error
		want   outcome
		calls  int
	}{
		"refused":             {until(99, forbidden), refused, 1},
		"down for a while":    {until(4, down), written, 5},
		"busy for a while":    {until(2, busy), written, 3},
		"down for good":       {until(99, down), unreachable, attempts},
		"a namespace's ended": {until(99, apierrors.NewNotFound(corev1.Resource("namespaces"), "team")), refused, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := &server{answer: c.answer}
				b := run(t, api, Options{})
				b.Event(pod("a"), corev1.EventTypeNormal, "Made", "made")
				time.Sleep(10 * time.Minute)
				b.want(t, map[outcome]int{c.want: 1})
				if api.calls != c.calls {
					t.Errorf("the server was asked %d times, want %d", api.calls, c.calls)
				}
			})
		})
	}
}

func TestAnEventThatIsGoneIsCreatedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &server{answer: func(call int) error {
			if call == 2 {
				return apierrors.NewNotFound(corev1.Resource("events"), "e")
			}
			return nil
		}}
		b := run(t, api, Options{})
		for range 2 {
			b.Event(pod("a"), corev1.EventTypeNormal, "Made", "made")
		}
		synctest.Wait()
		b.want(t, map[outcome]int{written: 2})
		if last := api.created[1]; last.Count != 2 || last.ResourceVersion != "" {
			t.Errorf("created %+v", last)
		}
	})
}

func TestTheEndWritesWhatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &server{takes: time.Second}, Options{})
		for i := range 20 {
			b.Event(pod(fmt.Sprint("p", i)), corev1.EventTypeNormal, "Made", "made")
		}
		synctest.Wait()
		begin := time.Now()
		b.stop()
		if took := time.Since(begin); took > drainFor+2*time.Second {
			t.Errorf("the end took %v", took)
		}
		b.Event(pod("late"), corev1.EventTypeNormal, "Made", "made")
		got := b.outcomes(t)
		if got[written] < 4 || got[stopped] < 10 || got[written]+got[stopped] != 21 {
			t.Errorf("the outcomes are %v", got)
		}
	})
}

func TestTheEndDoesNotWaitForAServerThatIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &server{answer: func(int) error { return errors.New("down") }}, Options{})
		for i := range 3 {
			b.Event(pod(fmt.Sprint("p", i)), corev1.EventTypeNormal, "Made", "made")
		}
		synctest.Wait()
		begin := time.Now()
		b.stop()
		if took := time.Since(begin); took > 0 {
			t.Errorf("the end took %v", took)
		}
		b.want(t, map[outcome]int{stopped: 3})
	})
}

func TestMalformedEventsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &server{}, Options{})
		b.Event(nil, corev1.EventTypeNormal, "Made", "made")
		b.Event(pod("a"), "Odd", "Made", "made")
		synctest.Wait()
		b.want(t, map[outcome]int{malformed: 2})
	})
}

func TestWatchersAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := run(t, &server{}, Options{Log: logr.Discard()})
		var told []string
		watching := b.StartEventWatcher(func(e *corev1.Event) {
			told = append(told, e.Reason)
			e.Reason = "changed by a watcher"
		})
		var logged []string
		b.StartLogging(func(format string, args ...any) { logged = append(logged, fmt.Sprintf(format, args...)) })
		b.Event(pod("a"), corev1.EventTypeNormal, "Made", "made")
		synctest.Wait()
		watching.Stop()
		watching.Stop()
		b.Event(pod("b"), corev1.EventTypeNormal, "Made", "made")
		synctest.Wait()
		if len(told) != 1 || told[0] != "Made" || len(logged) != 2 || logged[0] != "Normal Made on Pod team/a: made" {
			t.Errorf("told %q, logged %q", told, logged)
		}
		if _, open := <-watching.ResultChan(); open {
			t.Error("the result of a watcher delivers an event, and should be closed")
		}
	})
}

func TestMetricsAreSharedInAProcess(t *testing.T) {
	registry := prometheus.NewRegistry()
	for range 2 {
		if _, err := NewBroadcaster(Options{Metrics: registry}); err != nil {
			t.Fatal(err)
		}
	}
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || len(families[0].GetMetric()) != len(allOutcomes) {
		t.Errorf("gathered %v (error %v)", families, err)
	}
}

func ExampleNewBroadcaster() {
	b, err := NewBroadcaster(Options{Metrics: prometheus.NewRegistry()})
	if err != nil {
		fmt.Println(err)
		return
	}
	// ctrl.Options{EventBroadcaster: b}, and then mgr.Add(b)
	fmt.Println(b.NeedLeaderElection())
	// Output: false
}
