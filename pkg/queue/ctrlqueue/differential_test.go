package ctrlqueue

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// forSeeds plays test for each seed, in a synctest bubble.
func forSeeds(t *testing.T, test func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	seeds.Run(t, 50, func(t *testing.T, rng *rand.Rand) {
		synctest.Test(t, func(t *testing.T) { test(t, rng) })
	})
}

// recorder is a MetricsProvider that a test can read. It sums observations up, because neither
// queue promises their order.
type recorder struct {
	mu     sync.Mutex // guards values
	values map[string]float64
}

func newRecorder() *recorder { return &recorder{values: map[string]float64{}} }

func (r *recorder) look() map[string]float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]float64{}
	for k, v := range r.values {
		out[k] = float64(int64(v*1e6+0.5)) / 1e6 // the sum of floats depends on their order
	}
	return out
}

type metric struct {
	r    *recorder
	name string
}

func (m metric) set(change func(float64) float64) {
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	m.r.values[m.name] = change(m.r.values[m.name])
}

func (m metric) Inc()          { m.set(func(v float64) float64 { return v + 1 }) }
func (m metric) Dec()          { m.set(func(v float64) float64 { return v - 1 }) }
func (m metric) Set(x float64) { m.set(func(float64) float64 { return x }) }
func (m metric) Observe(x float64) {
	m.set(func(v float64) float64 { return v + x })
	metric{m.r, m.name + " count"}.Inc()
}

func (r *recorder) NewDepthMetric(string) workqueue.GaugeMetric       { return metric{r, "depth"} }
func (r *recorder) NewAddsMetric(string) workqueue.CounterMetric      { return metric{r, "adds"} }
func (r *recorder) NewLatencyMetric(string) workqueue.HistogramMetric { return metric{r, "latency"} }
func (r *recorder) NewWorkDurationMetric(string) workqueue.HistogramMetric {
	return metric{r, "duration"}
}
func (r *recorder) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return metric{r, "unfinished"}
}
func (r *recorder) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return metric{r, "longest"}
}
func (r *recorder) NewRetriesMetric(string) workqueue.CounterMetric { return metric{r, "retries"} }

// pair does the calls of one script to ours and to the incumbent. It takes all keys that can be
// handed out at once. So both hand out the same keys, in whatever order.
type pair struct {
	t            *testing.T
	rng          *rand.Rand
	ours, theirs workqueue.TypedRateLimitingInterface[string]
	metrics      [2]*recorder
	start        time.Time
	held         []string // keys that the test has taken
	stray        bool     // Done may be called with keys that are not; client-go's then hands a queued one out twice
	log          []string // what was done so far
}

func (p *pair) both(format string, args ...any) func(func(workqueue.TypedRateLimitingInterface[string])) {
	p.log = append(p.log, fmt.Sprintf("%v ", time.Since(p.start))+fmt.Sprintf(format, args...))
	return func(do func(workqueue.TypedRateLimitingInterface[string])) {
		do(p.ours)
		do(p.theirs)
		synctest.Wait()
	}
}

func (p *pair) key() string { return fmt.Sprint("key-", p.rng.IntN(12)) }

func (p *pair) delay() time.Duration { return time.Duration(p.rng.IntN(40)-5) * time.Millisecond }

// step does one random call that both interfaces have.
func (p *pair) step() {
	type queue = workqueue.TypedRateLimitingInterface[string]
	key := p.key()
	switch p.rng.IntN(9) {
	case 0, 1:
		p.both("Add(%s)", key)(func(q queue) { q.Add(key) })
	case 2:
		d := p.delay()
		p.both("AddAfter(%s, %v)", key, d)(func(q queue) { q.AddAfter(key, d) })
	case 3:
		p.both("AddRateLimited(%s)", key)(func(q queue) { q.AddRateLimited(key) })
	case 4:
		p.both("Forget(%s)", key)(func(q queue) { q.Forget(key) })
	case 5, 6:
		if len(p.held) == 0 && !p.stray {
			return
		}
		if len(p.held) > 0 && (!p.stray || p.rng.IntN(10) > 0) {
			i := p.rng.IntN(len(p.held))
			key = p.held[i]
			p.held = slices.Delete(p.held, i, i+1)
		}
		p.both("Done(%s)", key)(func(q queue) { q.Done(key) })
	default:
		d := time.Duration(p.rng.IntN(30)) * time.Millisecond
		p.both("sleep %v", d)(func(queue) {})
		time.Sleep(d)
		synctest.Wait()
	}
	p.compare(key)
}

func (p *pair) compare(key string) {
	if ours, theirs := p.ours.Len(), p.theirs.Len(); ours != theirs {
		p.fail("Len() = %d, theirs %d", ours, theirs)
	}
	if ours, theirs := p.ours.NumRequeues(key), p.theirs.NumRequeues(key); ours != theirs {
		p.fail("NumRequeues(%s) = %d, theirs %d", key, ours, theirs)
	}
	if diff := gocmp.Diff(p.metrics[1].look(), p.metrics[0].look()); diff != "" {
		p.fail("metrics (-theirs +ours):\n%s", diff)
	}
}

func (p *pair) fail(format string, args ...any) {
	p.t.Helper()
	p.t.Errorf(format, args...)
	for _, line := range p.log {
		p.t.Log(line)
	}
	p.ours.ShutDown()
	p.theirs.ShutDown()
	p.t.FailNow()
}

// handed is a key that was handed out.
type handed struct {
	key      string
	priority int
}

// take takes n keys from each.
func (p *pair) take(n int, get func(workqueue.TypedRateLimitingInterface[string]) handed) {
	p.log = append(p.log, fmt.Sprintf("%v take %d", time.Since(p.start), n))
	var got [2][]handed
	for i, q := range []workqueue.TypedRateLimitingInterface[string]{p.ours, p.theirs} {
		for range n {
			got[i] = append(got[i], get(q))
		}
		slices.SortFunc(got[i], func(a, b handed) int { return cmp.Compare(a.key, b.key) })
	}
	if !slices.Equal(got[0], got[1]) {
		p.fail("handed out %v, theirs %v", got[0], got[1])
	}
	for _, h := range got[0] {
		p.held = append(p.held, h.key)
	}
	synctest.Wait()
	p.compare(p.key())
}

// finish waits until all timers are due, and works on all keys. Then both must be empty.
func (p *pair) finish(takeAll func()) {
	for range 20 {
		time.Sleep(time.Minute)
		synctest.Wait()
		takeAll()
		for len(p.held) > 0 {
			key := p.held[0]
			p.held = p.held[1:]
			p.both("Done(%s)", key)(func(q workqueue.TypedRateLimitingInterface[string]) { q.Done(key) })
		}
	}
	if n := p.ours.Len(); n != 0 {
		p.fail("%d keys are left", n)
	}
	p.compare("key-0")
	p.both("ShutDown, twice for ours")(func(q workqueue.TypedRateLimitingInterface[string]) { q.ShutDown() })
	p.ours.ShutDown()
}

func TestWorkqueueAgainstClientGo(t *testing.T) {
	forSeeds(t, func(t *testing.T, rng *rand.Rand) {
		limiter := func() workqueue.TypedRateLimiter[string] {
			return workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, 100*time.Millisecond)
		}
		metrics := [2]*recorder{newRecorder(), newRecorder()}
		p := &pair{
			t: t, rng: rng, start: time.Now(), metrics: metrics,
			ours: NewTypedRateLimitingQueueWithConfig(limiter(),
				TypedRateLimitingQueueConfig[string]{Name: "q", MetricsProvider: metrics[0]}),
			theirs: workqueue.NewTypedRateLimitingQueueWithConfig(limiter(),
				workqueue.TypedRateLimitingQueueConfig[string]{Name: "q", MetricsProvider: metrics[1]}),
		}
		takeAll := func() {
			p.take(p.ours.Len(), func(q workqueue.TypedRateLimitingInterface[string]) handed {
				key, _ := q.Get()
				return handed{key: key}
			})
		}
		for range 150 {
			p.step()
			if rng.IntN(4) == 0 {
				takeAll()
			}
		}
		p.finish(takeAll)
	})
}

func TestPriorityQueueAgainstControllerRuntime(t *testing.T) {
	forSeeds(t, func(t *testing.T, rng *rand.Rand) {
		limiter := func() workqueue.TypedRateLimiter[string] {
			return workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, 100*time.Millisecond)
		}
		metrics := [2]*recorder{newRecorder(), newRecorder()}
		ours := New("q", func(o *Opts[string]) { o.RateLimiter, o.MetricProvider = limiter(), metrics[0] })
		p := &pair{
			t: t, rng: rng, start: time.Now(), metrics: metrics, ours: ours, stray: true,
			theirs: priorityqueue.New("q", func(o *priorityqueue.Opts[string]) { o.RateLimiter, o.MetricProvider = limiter(), metrics[1] }),
		}
		takeAll := func() {
			n := 0 // Len counts keys that are queued and still being worked on
			for _, e := range ours.Contents(1000) {
				if !e.Queued.IsZero() && e.Working.IsZero() {
					n++
				}
			}
			p.take(n, func(q workqueue.TypedRateLimitingInterface[string]) handed {
				key, priority, _ := q.(priorityqueue.PriorityQueue[string]).GetWithPriority()
				return handed{key: key, priority: priority}
			})
		}
		for range 150 {
			switch rng.IntN(5) {
			case 0:
				takeAll()
			case 1, 2:
				o := priorityqueue.AddOpts{RateLimited: rng.IntN(3) == 0}
				if rng.IntN(2) == 0 {
					o.After = p.delay()
				}
				if rng.IntN(3) > 0 {
					o.Priority = new(rng.IntN(5) - 2)
				}
				keys := []string{p.key(), p.key()}
				p.both("AddWithOpts(%+v, %v)", o, keys)(func(q workqueue.TypedRateLimitingInterface[string]) {
					q.(priorityqueue.PriorityQueue[string]).AddWithOpts(o, keys...)
				})
				p.compare(keys[0])
			default:
				p.step()
			}
		}
		p.finish(takeAll)
	})
}
