package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

func cpuTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// channelPair is the incumbents' way to tell a subscriber: an unbuffered channel
// into a goroutine that keeps a growing queue, another one out of it.
func channelPair(g *lifecycle.Group, tell func(*delta.Delta[part])) chan<- *delta.Delta[part] {
	in, out := make(chan *delta.Delta[part]), make(chan *delta.Delta[part])
	g.Guest("queue", func(context.Context) {
		defer close(out)
		var pending []*delta.Delta[part]
		for {
			var next chan *delta.Delta[part]
			var first *delta.Delta[part]
			if len(pending) > 0 {
				next, first = out, pending[0]
			}
			select {
			case d, ok := <-in:
				if !ok {
					return
				}
				pending = append(pending, d)
			case next <- first:
				pending = pending[1:]
			}
		}
	})
	g.Guest("call", func(context.Context) {
		for d := range out {
			tell(d)
		}
	})
	return in
}

// ownQueue is a subscriber with a queue of its own, the simplest there is: the
// publisher appends to it, the subscriber takes all of it.
type ownQueue struct {
	mu      sync.Mutex // guards everything below
	pending []*delta.Delta[part]
	closed  bool
	filled  sync.Cond
}

func (q *ownQueue) append(batch []*delta.Delta[part]) {
	q.mu.Lock()
	q.pending = append(q.pending, batch...)
	q.mu.Unlock()
	q.filled.Signal()
}

func (q *ownQueue) run(tell func(*delta.Delta[part])) {
	var taken []*delta.Delta[part]
	for {
		q.mu.Lock()
		for len(q.pending) == 0 && !q.closed {
			q.filled.Wait()
		}
		if q.closed {
			q.mu.Unlock()
			return
		}
		taken, q.pending = q.pending, taken[:0]
		q.mu.Unlock()
		for _, d := range taken {
			tell(d)
		}
		clear(taken)
	}
}

// BenchmarkTelling tells N subscribers of events that come in batches of a given
// size, over the shared log, over a queue of its own for each subscriber, and over a pair
// of channels for each.
func BenchmarkTelling(b *testing.B) {
	for _, subscribers := range []int{1, 4, 16} {
		for _, size := range []int{1, 16, 256} {
			name := fmt.Sprintf("subscribers=%d/batch=%d", subscribers, size)
			b.Run(name+"/log", func(b *testing.B) { benchLog(b, subscribers, size) })
			b.Run(name+"/queues", func(b *testing.B) { benchQueues(b, subscribers, size) })
			b.Run(name+"/channels", func(b *testing.B) { benchChannels(b, subscribers) })
		}
	}
}

func benchLog(b *testing.B, subscribers, size int) {
	p := newProcessor(partTraits(), logr.Discard())
	g := lifecycle.New(b.Context())
	var told sync.WaitGroup
	for i := range subscribers {
		n := 0
		told.Add(1)
		l := p.newSubscriber(informer.SubscribeOptions{Name: fmt.Sprint(i)}, func(*delta.Delta[part]) {
			if n++; n == b.N {
				told.Done()
			}
		})
		p.join(l, nil)
		g.Guest("subscriber", l.run)
	}
	b.ReportAllocs()
	b.ResetTimer()
	start := cpuTime()
	for sent := 0; sent < b.N; {
		batch := make([]event[part], min(size, b.N-sent))
		for i := range batch {
			batch[i].Op = delta.Updated
		}
		p.publish(batch)
		sent += len(batch)
	}
	told.Wait()
	b.ReportMetric(float64(cpuTime()-start)/float64(b.N), "cpu-ns/op")
	b.StopTimer()
	p.stop()
	g.Stop()
	_ = g.Wait()
}

func benchQueues(b *testing.B, subscribers, size int) {
	g := lifecycle.New(b.Context())
	var told sync.WaitGroup
	var queues []*ownQueue
	for range subscribers {
		n := 0
		told.Add(1)
		q := &ownQueue{}
		q.filled.L = &q.mu
		queues = append(queues, q)
		g.Guest("subscriber", func(context.Context) {
			q.run(func(*delta.Delta[part]) {
				if n++; n == b.N {
					told.Done()
				}
			})
		})
	}
	b.ReportAllocs()
	b.ResetTimer()
	start := cpuTime()
	for sent := 0; sent < b.N; {
		events := make([]event[part], min(size, b.N-sent))
		batch := make([]*delta.Delta[part], len(events))
		for i := range events {
			events[i].Op = delta.Updated
			batch[i] = &events[i].Delta
		}
		for _, q := range queues {
			q.append(batch)
		}
		sent += len(batch)
	}
	told.Wait()
	b.ReportMetric(float64(cpuTime()-start)/float64(b.N), "cpu-ns/op")
	b.StopTimer()
	for _, q := range queues {
		q.mu.Lock()
		q.closed = true
		q.mu.Unlock()
		q.filled.Signal()
	}
	g.Stop()
	_ = g.Wait()
}

func benchChannels(b *testing.B, subscribers int) {
	g := lifecycle.New(b.Context())
	var told sync.WaitGroup
	var channels []chan<- *delta.Delta[part]
	for range subscribers {
		n := 0
		told.Add(1)
		channels = append(channels, channelPair(g, func(*delta.Delta[part]) {
			if n++; n == b.N {
				told.Done()
			}
		}))
	}
	b.ReportAllocs()
	b.ResetTimer()
	start := cpuTime()
	for range b.N {
		d := &delta.Delta[part]{Op: delta.Updated}
		for _, c := range channels {
			c <- d
		}
	}
	told.Wait()
	b.ReportMetric(float64(cpuTime()-start)/float64(b.N), "cpu-ns/op")
	b.StopTimer()
	for _, c := range channels {
		close(c)
	}
	g.Stop()
	_ = g.Wait()
}

func quantile(d []time.Duration, q float64) time.Duration {
	slices.Sort(d)
	return d[int(float64(len(d)-1)*q)]
}
