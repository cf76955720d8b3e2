package answers

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

const (
	// mostWhys is how many reasons the health gives for a kind that is not well.
	mostWhys = 3
	// longestBackOff is more than a request waits for its next try. If it fails and its object is gone for longer, nobody will try.
	longestBackOff = 20 * time.Minute
)

// Health is the [inspector.Subject]'s.
func (o *Operator) Health() inspector.Health {
	kinds := o.kinds()
	h := inspector.Health{Runs: o.runtime.Cache() != nil, Failing: o.failing(kinds)}
	for i := range kinds {
		h.Kinds = append(h.Kinds, kindHealth(&kinds[i])...)
	}
	for _, u := range o.unmade() {
		h.Kinds = append(h.Kinds, scopeHealth(u.Name, &informer.ScopeStatus{Reflector: u.Status}))
	}
	for _, c := range o.runtime.Controllers() {
		health := controllerHealth(c)
		if health.Unserved && !o.leads() {
			health.Ready = 0 // they wait for the election
		}
		h.Controllers = append(h.Controllers, health)
	}
	return h
}

// kindHealth returns a kind once for each reason that its scopes are not well, and once if all are.
func kindHealth(k *observe.Kind) []inspector.KindHealth {
	s := k.Informer.Status()
	all := reasons(k.Name, s.Scopes)
	if len(all) == 0 {
		all = []inspector.KindHealth{{Kind: v1.Kind{Name: k.Name, Synced: s.Synced, State: s.Reflector.State, Since: s.Reflector.Since}}}
	}
	all[0].Mutated = observe.Mutated(&s)
	for i := range s.Subscribers {
		if s.Subscribers[i].Slow {
			all[0].Subscribers = append(all[0].Subscribers, subscriberOf(&s.Subscribers[i]))
		}
	}
	return all
}

// reasons has a kind for each reason that scopes are not well.
func reasons(name string, scopes []informer.ScopeStatus) (all []inspector.KindHealth) {
	more := 0
	for i := range scopes {
		if isWell(&scopes[i]) {
			continue
		}
		of := scopeHealth(name, &scopes[i])
		same := slices.IndexFunc(all, func(other inspector.KindHealth) bool { return other.Same == of.Same })
		switch {
		case same >= 0:
			known := &all[same]
			known.Since, known.DegradedSince = observe.Earliest(known.Since, of.Since), observe.Earliest(known.DegradedSince, of.DegradedSince)
			known.DisconnectedSince = observe.Earliest(known.DisconnectedSince, of.DisconnectedSince)
		case len(all) == mostWhys:
			more++
		default:
			all = append(all, of)
		}
	}
	if more > 0 {
		all[mostWhys-1].Why += fmt.Sprintf("; %d more are not well for other reasons", more)
	}
	return all
}

// scopeHealth is a kind as far as one scope goes that is not well.
func scopeHealth(name string, of *informer.ScopeStatus) inspector.KindHealth {
	r := &of.Reflector
	shown := inspector.KindHealth{Kind: v1.Kind{Name: name, Synced: of.Synced, State: r.State, Since: r.Since, DegradedSince: r.DegradedSince, Why: reflector.Next(r)}}
	if shown.DegradedSince.IsZero() { // who is refused is not unheard
		shown.DisconnectedSince = r.DisconnectedSince
	}
	if r.LastError != nil {
		shown.LastError = errorText(r.LastError)
	}
	how := "idle"
	switch {
	case !shown.DegradedSince.IsZero():
		how = "refused"
	case !shown.DisconnectedSince.IsZero():
		how = "not heard"
	case r.State != reflector.Idle:
		how = "not synced"
	}
	shown.Same = how + ": " + sameOf(r.LastError)
	return shown
}

// What differs from kind to kind and from namespace to namespace in errors of one reason: what is quoted, as the address that was
// asked; durations; and numbers, but not the three digits of a status.
var (
	varying = regexp.MustCompile(`"[^"]*"|(\d+(\.\d+)?(h|ms|m|s|µs|ns))+\b`)
	number  = regexp.MustCompile(`\d+`)
)

// sameOf is an error without all that, and without what was tried, which names the kind.
func sameOf(err error) string {
	var failed *reflector.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &failed):
		err = failed.Err
	}
	text := path.Ends(err.Error(), longestError)
	return number.ReplaceAllStringFunc(varying.ReplaceAllString(text, "…"), func(digits string) string {
		if len(digits) == len("403") {
			return digits
		}
		return "…"
	})
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
