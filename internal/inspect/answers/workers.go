package answers

import (
	"time"

	"github.com/delta-runtime/delta-runtime/internal/hotloop"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// Controllers is the [inspector.Subject]'s.
func (o *Operator) Controllers() v1.ControllerList {
	t := o.telling()
	var all []v1.Controller
	for _, c := range o.runtime.Controllers() {
		all = append(all, t.controllerOf(c))
	}
	list := v1.ControllerList{At: time.Now()}
	list.Items, list.Cut = fitting(t, all)
	return list
}

func (n names) controllerOf(c *observe.Controller) v1.Controller {
	calls, ledger := c.Calls.Read(), c.Ledger()
	shown := v1.Controller{
		Name: c.Name, Kind: n.of(c.Kind), Calls: map[string]uint64{}, Causes: map[string]uint64{}, Incomplete: calls.Lacking,
		Changes: calls.Changes, OwnWrites: calls.Own, HeldBack: c.HeldBack(),
		Ledger: v1.Ledger{
			Requests: ledger.Requests, Changes: ledger.Changes, Remembered: ledger.Remembered,
			Gaps: ledger.Gaps, Overflows: ledger.Overflows, Blind: ledger.Blind, Advice: ledger.Advice,
		},
	}
	for how, times := range calls.Results {
		shown.Calls[how.String()] = times
	}
	for cause, times := range calls.Causes {
		shown.Causes[cause.String()] = times
	}
	for _, s := range c.Steps() {
		shown.Steps = append(shown.Steps, v1.Step{Name: s.Name, Done: s.Done, Failed: s.Failed, Skipped: s.Skipped, Blind: s.Blind})
	}
	return shown
}

// Loops is the [inspector.Subject]'s.
func (o *Operator) Loops() v1.LoopList {
	t := o.telling()
	var all []v1.Loop
	for _, c := range o.runtime.Controllers() {
		if c.Loops == nil {
			continue
		}
		for _, e := range c.Loops() {
			all = append(all, t.loopOf(c, &e))
		}
	}
	list := v1.LoopList{At: time.Now()}
	list.Items, list.Cut = fitting(t, all)
	return list
}

func (n names) loopOf(c *observe.Controller, e *hotloop.Episode[delta.Key]) v1.Loop {
	return v1.Loop{
		Controller: c.Name, Namespace: e.Request.Namespace, Name: e.Request.Name, Pattern: e.Pattern.String(),
		Kind: n.of(e.Kind), ObjectNamespace: e.Key.Namespace, ObjectName: e.Key.Name,
		Paths: e.Paths, Managers: e.Managers, Rounds: e.Rounds, Since: e.Began, Last: e.Last,
		Over: !e.Ended.IsZero(), Deferred: c.DefersLoops,
	}
}

// Queues is the [inspector.Subject]'s.
func (o *Operator) Queues(controller string, limit int) v1.QueueList {
	all, t := v1.QueueList{At: time.Now()}, o.telling()
	for _, c := range o.runtime.Controllers() {
		if controller != "" && controller != c.Name {
			continue
		}
		q, whole := t.queueOf(c, limit)
		all.Items = append(all.Items, q)
		if !whole {
			all.Cut = "Not all queues show as many requests as you asked for: " + noRoom
		}
	}
	return all
}

// queueOf reports false if the answer has no room for as many requests as somebody asked for.
func (t *telling) queueOf(c *observe.Controller, limit int) (shown v1.Queue, whole bool) {
	stats, ours := c.Queue()
	shown = v1.Queue{Controller: c.Name, Known: ours}
	if !ours {
		whole = t.fits(&shown)
		return shown, whole
	}
	shown.Delayed, shown.Working, shown.Ready = stats.Waiting, stats.Working, ready(&stats)
	shown.OldestSeconds, shown.Added, shown.Finished = stats.OldestQueued.Seconds(), stats.Added, stats.Finished
	if whole = t.fits(&shown); c.Requests == nil {
		return shown, whole
	}
	entries := c.Requests.Contents(limit + 1)
	if len(entries) > limit {
		entries, shown.More = entries[:limit], true
	}
	for i := range entries {
		if item, ok := t.itemOf(c, &entries[i]); ok {
			shown.Items = append(shown.Items, item)
		} else {
			shown.More, whole = true, false
		}
	}
	return shown, whole
}

func (t *telling) itemOf(c *observe.Controller, e *queue.Entry[delta.Key]) (shown v1.Item, ok bool) {
	shown = v1.Item{
		Namespace: e.Key.Namespace, Name: e.Key.Name, State: stateOf(e), Priority: e.Priority,
		Queued: e.Queued, Due: e.Due, Working: e.Working, Attempts: e.Attempts,
	}
	if !t.fits(&shown) {
		return shown, false
	}
	shown.Why, shown.WhyLeftOut = t.changesOf(c.Requests.Waiting(e.Key))
	return shown, true
}

func stateOf(e *queue.Entry[delta.Key]) string {
	switch {
	case !e.Working.IsZero():
		return "working"
	case !e.Queued.IsZero():
		return "ready"
	default:
		return "delayed"
	}
}

// since is how long ago a time was, for people.
func since(t, now time.Time) string { return now.Sub(t).Round(100 * time.Millisecond).String() }
