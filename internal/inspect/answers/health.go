package answers

import (
	"fmt"
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

const (
	// mostWhys is of how many scopes of a kind the health says what is wrong.
	mostWhys = 3
	// longestBackOff is more than a request waits for its next try. If it fails and its object is gone for longer, nobody will try.
	longestBackOff = 20 * time.Minute
)

// Health is the [inspector.Subject]'s.
func (o *Operator) Health() inspector.Health {
	kinds := o.kinds()
	h := inspector.Health{Runs: o.runtime.Cache() != nil, Failing: o.failing(kinds)}
	for i := range kinds {
		h.Kinds = append(h.Kinds, kindHealth(&kinds[i]))
	}
	for _, c := range o.runtime.Controllers() {
		h.Controllers = append(h.Controllers, controllerHealth(c))
	}
	return h
}

func kindHealth(k *observe.Kind) v1.Kind {
	s := k.Informer.Status()
	shown := v1.Kind{Name: k.Name, Synced: s.Synced, State: s.Reflector.State, Since: s.Reflector.Since, Mutated: observe.Mutated(&s)}
	shown.DegradedSince, shown.DisconnectedSince = observe.Troubles(s.Scopes)
	var whys []string
	for i := range s.Scopes {
		of := &s.Scopes[i]
		if isWell(of) {
			continue
		}
		if whys = append(whys, of.Reflector.Why); shown.LastError == "" && of.Reflector.LastError != nil {
			shown.LastError = errorText(of.Reflector.LastError)
		}
	}
	if more := len(whys) - mostWhys; more > 0 {
		whys = append(whys[:mostWhys], fmt.Sprintf("so are %d more namespaces", more))
	}
	shown.Why = strings.Join(whys, "; ")
	for i := range s.Subscribers {
		if s.Subscribers[i].Slow {
			shown.Subscribers = append(shown.Subscribers, subscriberOf(&s.Subscribers[i]))
		}
	}
	return shown
}

func isWell(s *informer.ScopeStatus) bool {
	return s.Synced && s.Reflector.DegradedSince.IsZero() && s.Reflector.DisconnectedSince.IsZero()
}

func controllerHealth(c *observe.Controller) inspector.ControllerHealth {
	h := inspector.ControllerHealth{Name: c.Name, Advice: c.Ledger().Advice}
	stats, ours := c.Queue()
	if !ours {
		return h
	}
	h.Ready, h.Unserved, h.Waited, h.Longest = ready(&stats), !stats.Served, stats.OldestQueued, stats.LongestWorking
	if c.Requests == nil || h.Longest <= inspector.LongCall {
		return h // nobody asks which request that is
	}
	var longest time.Time
	for _, e := range c.Requests.Contents(stats.Working) { // those that workers have come first
		if !e.Working.IsZero() && (longest.IsZero() || e.Working.Before(longest)) {
			longest, h.Request = e.Working, inspector.Request{Controller: c.Name, Namespace: e.Key.Namespace, Name: e.Key.Name}
		}
	}
	return h
}

// failing are the requests that fail, of controllers that run.
func (o *Operator) failing(kinds []observe.Kind) (all []inspector.Failing) {
	names, running := namesOf(kinds), map[string]*observe.Controller{}
	for _, c := range o.runtime.Controllers() {
		running[c.Name] = c
	}
	known := o.journal.Failing()
	count := map[string]int{}
	for i := range known {
		count[known[i].Controller]++
	}
	for i := range known {
		f := &known[i]
		c, runs := running[f.Controller]
		if !runs || time.Since(f.Last) > longestBackOff && isGone(kinds, c, f.Request) {
			continue
		}
		var next time.Time
		if c.Requests != nil {
			entry, _ := c.Requests.Entry(f.Request)
			next = entry.Due
		}
		all = append(all, inspector.Failing{
			Request: inspector.Request{Controller: f.Controller, Namespace: f.Request.Namespace, Name: f.Request.Name},
			Kind:    names.of(c.Kind), Error: f.Error, Same: f.Same, Times: f.Times, Since: f.Since, Next: next,
			More: count[f.Controller] >= journal.MostFailing,
		})
	}
	return all
}

// isGone reports whether the cache follows what a controller reconciles, and does not have the object of a request.
func isGone(kinds []observe.Kind, of *observe.Controller, request delta.Key) bool {
	for i := range kinds {
		if k := &kinds[i]; k.GVK == of.Kind && k.Informer.HasSynced() {
			_, there := k.Informer.Store().Get(request)
			return !there
		}
	}
	return false
}
