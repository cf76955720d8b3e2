package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// diary is a log to read.
type diary struct {
	mu      sync.Mutex // guards written
	written []string
}

func (d *diary) logger() logr.Logger {
	return funcr.New(func(_, line string) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.written = append(d.written, line)
	}, funcr.Options{})
}

func (d *diary) lines() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.written)
}

// watched is a platform whose subscribers somebody looks at each second, and writes into the diary.
func watched(t *testing.T) (*platform, *diary) {
	t.Helper()
	p, warned := newPlatform(t), &diary{}
	p.logger = warned.logger()
	p.group.Guest("keep time", func(ctx context.Context) { _ = keepTime(ctx, newResyncer(nil, nil, nil), p.warn) })
	return p, warned
}

func TestSlowSubscriberIsNamedOncePerEpisode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, warned := watched(t)
		step := make(chan struct{})
		p.add(informer.SubscribeOptions{Name: "billing", HighWater: 10, Stuck: time.Hour}, nil, func(*delta.Delta[part]) { <-step })
		for episode := 1; episode <= 2; episode++ {
			start := time.Now()
			p.publish(time.Now(), added(8))
			time.Sleep(10 * time.Second)
			if lines := warned.lines(); len(lines) != episode-1 {
				t.Errorf("warned below the mark: %q", lines)
			}
			p.publish(time.Now(), added(12))
			time.Sleep(30 * time.Second)
			s := p.status(time.Now())[0]
			if s.Name != "billing" || s.Lag != 20 || s.OldestAge != time.Since(start) || !s.Slow || s.Synced {
				t.Errorf("status is %+v, want a lag of 20 for %v", s, time.Since(start))
			}
			if late := s.InHandlerSince.Sub(start); late < 0 || late > time.Second {
				t.Errorf("in its handler since %v, want %v", s.InHandlerSince, start)
			}
			for range 5 { // hovering at the mark is not a new episode
				step <- struct{}{}
				time.Sleep(2 * time.Second)
			}
			if lines := warned.lines(); len(lines) != episode || !strings.Contains(lines[episode-1], `"subscriber"="billing"`) {
				t.Errorf("in episode %d, warned %q", episode, lines)
			}
			for range 15 {
				step <- struct{}{}
			}
			time.Sleep(2 * time.Second)
			if s := p.status(time.Now())[0]; s.Slow || s.Lag != 0 || s.OldestAge != 0 || !s.InHandlerSince.IsZero() || s.Told != uint64(20*episode) {
				t.Errorf("status after it caught up is %+v", s)
			}
		}
	})
}

// A burst is not slowness: it is told of as fast as the handler can.
func TestBurstIsNoReasonToWarn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, warned := watched(t)
		p.add(informer.SubscribeOptions{HighWater: 10}, nil, func(*delta.Delta[part]) { time.Sleep(time.Millisecond) })
		time.Sleep(10 * time.Millisecond)
		for range 5 {
			p.publish(time.Now(), added(500))
			time.Sleep(10 * time.Millisecond)
			p.warn(time.Now()) // looked at when it is far behind
			time.Sleep(990 * time.Millisecond)
		}
		if lines := warned.lines(); len(lines) != 0 {
			t.Errorf("warned %q", lines)
		}
	})
}

func TestStuckHandlerIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, warned := watched(t)
		step := make(chan struct{})
		p.add(informer.SubscribeOptions{Name: "billing"}, nil, func(*delta.Delta[part]) { <-step })
		p.publish(time.Now(), added(2))
		time.Sleep(29 * time.Second)
		if lines := warned.lines(); len(lines) != 0 {
			t.Errorf("warned too early: %q", lines)
		}
		time.Sleep(time.Minute)
		if lines := warned.lines(); len(lines) != 1 || !strings.Contains(lines[0], "not returned for 3") || !strings.Contains(lines[0], "billing") {
			t.Errorf("warned %q, want once, after 30s", lines)
		}
		step <- struct{}{}
		time.Sleep(time.Minute)
		if lines := warned.lines(); len(lines) != 2 {
			t.Errorf("warned %q, want once for each call", lines)
		}
		close(step)
	})
}

// A subscriber leaves in the middle of the first list, as all do when the informer ends. The look at it that comes a second later
// finds nobody.
func TestASubscriberThatHasLeftIsNotComplainedOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, step := newPlatform(t), make(chan struct{})
		l := s.add(informer.SubscribeOptions{}, worldOf(map[delta.Key]part{{Name: "0"}: {"0", 0}}), func(*delta.Delta[part]) { <-step })
		synctest.Wait()
		l.quit()
		s.warn(time.Now().Add(time.Hour))
		close(step)
	})
}

// TestALongFirstListIsNamed gives a handler that takes a second for each object a first list of
// a hundred, as a snapshot because it comes late or as events because it was there before. The
// log says once how much is left, and the status says it at any time. A snapshot does not count as a backlog.
func TestALongFirstListIsNamed(t *testing.T) {
	const objects = 100
	for name, highWater := range map[string]uint64{"a late subscriber": 10, "one that was there before": 1000} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, warned := watched(t)
				l := p.newSubscriber(informer.SubscribeOptions{Name: "billing", HighWater: highWater}, func(*delta.Delta[part]) { time.Sleep(time.Second) })
				if name == "a late subscriber" {
					p.markSynced()
					all := map[delta.Key]part{}
					for i := range objects {
						all[delta.Key{Name: fmt.Sprint(i)}] = part{}
					}
					p.join(l, worldOf(all))
				} else {
					p.join(l, nil)
					p.publish(time.Now(), added(objects))
					p.markSynced()
				}
				p.group.Guest("billing", l.run)
				synctest.Wait()
				for second := range 20 {
					if s := p.status(time.Now())[0]; s.Lag != uint64(objects-second) || s.Synced {
						t.Fatalf("after %d seconds it is %d behind, want %d; synced: %t", second, s.Lag, objects-second, s.Synced)
					}
					time.Sleep(time.Second)
					synctest.Wait()
				}
				time.Sleep(objects * time.Second)
				lines := warned.lines()
				if len(lines) != 1 || !strings.Contains(lines[0], "takes long for the first list") ||
					!strings.Contains(lines[0], `"subscriber"="billing"`) ||
					!strings.Contains(lines[0], `"lag"=90 `) && !strings.Contains(lines[0], `"lag"=91 `) { // the call and the look may be at the same instant
					t.Errorf("warned %q, want once, with some 90 objects left", lines)
				}
				if s := p.status(time.Now())[0]; s.Lag != 0 || !s.Synced {
					t.Errorf("at the end it is %d behind; synced: %t", s.Lag, s.Synced)
				}
			})
		})
	}
}
