package toolscache

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

func selectorOf(t *testing.T, text string) labels.Selector {
	t.Helper()
	s, err := labels.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tally counts the updates that handlers are told of, by handler and namespace.
type tally struct {
	t       *testing.T
	mu      sync.Mutex // guards updates
	updates map[string]int
}

func (c *tally) handler(name string) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{UpdateFunc: func(before, after any) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if before != after {
			c.t.Errorf("a resync shows two different objects")
		}
		c.updates[name+" "+after.(*corev1.ConfigMap).Namespace]++
	}}
}

// expect compares what was counted since it was last called.
func (c *tally) expect(want map[string]int) {
	c.t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if fmt.Sprint(c.updates) != fmt.Sprint(want) {
		c.t.Errorf("updates by handler and namespace:\n%v, want\n%v", c.updates, want)
	}
	clear(c.updates)
}

// Whole policies reach the core, by scope and for all; handlers that ask for a period
// get it; and what is changed while it runs is for those who asked for none.
func TestHandlersAreResyncedByPolicy(t *testing.T) {
	all, none := selectorOf(t, "!unlabelled"), selectorOf(t, "unlabelled")
	synctest.Test(t, func(t *testing.T) {
		s := scopes{
			each: []engine.Scope[any]{
				scopeOf("p", inNamespace("p", "a"), resync.Policy{Period: time.Minute, Selector: none}),
				scopeOf("q", inNamespace("q", "a"), timetable.Or(peer.ByPeriod(10*time.Minute), resync.Policy{Selector: all})),
				scopeOf("r", inNamespace("r", "a"), resync.Policy{Period: resync.Never}),
			},
			show: peer.Shown{ResyncPeriod: time.Hour, ByPolicy: func() bool { return true }},
		}.shown(t)
		updates := &tally{t: t, updates: map[string]int{}}
		if _, err := s.AddEventHandler(updates.handler("open")); err != nil {
			t.Fatal(err)
		}
		runs(t, s, func() {
			if _, err := s.AddEventHandlerWithResyncPeriod(updates.handler("own"), 30*time.Second); err != nil {
				t.Fatal(err)
			}
			if _, err := s.AddEventHandlerWithResyncPeriod(updates.handler("never"), 0); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10*time.Minute + time.Second)
			updates.expect(map[string]int{"open q": 1, "own p": 20, "own q": 20, "own r": 20})
			if err := errors.Join(s.Core().SetScopeResync("p", resync.Policy{Period: resync.Never}), s.Core().SetScopeResync("r", resync.Policy{Period: 5 * time.Second})); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			updates.expect(map[string]int{"open r": 12, "own p": 2, "own q": 2, "own r": 2})
			if err := s.Core().Resync(nil); err != nil {
				t.Fatal(err)
			}
			updates.expect(map[string]int{"open p": 1, "open q": 1, "open r": 1, "own p": 1, "own q": 1, "own r": 1, "never p": 1, "never q": 1, "never r": 1})
			for _, err := range []error{
				s.Core().SetScopeResync("p", resync.Policy{Rate: -1}),
				s.Core().AddScope(scopeOf("z", inNamespace("z", "a"), resync.Policy{Rate: -1})),
			} {
				if err == nil || !strings.Contains(err.Error(), "the Rate is -1") {
					t.Errorf("a negative rate: %v", err)
				}
			}
			if err := s.Core().SetScopeResync("z", resync.Policy{}); !errors.Is(err, informer.ErrNotCovered) {
				t.Errorf("the policy of a scope that is not there: %v", err)
			}
		})
		jittery := scopeOf("", missing{}, resync.Policy{Jitter: 2})
		_, err := engine.NewScoped([]engine.Scope[any]{jittery}, engine.Options[any]{Name: "configmaps", Traits: objects.Traits})
		if err == nil || !strings.Contains(err.Error(), "the Jitter is 2") {
			t.Errorf("a jitter of 2: %v", err)
		}
	})
}
