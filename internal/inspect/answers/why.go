package answers

import (
	"fmt"
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/hotloop"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// lately is how many calls and deltas Why tells.
const lately = 25

// Why is the [inspector.Subject]'s.
func (o *Operator) Why(kind, namespace, name string) (v1.Why, error) {
	k, err := o.kind(kind)
	if err != nil {
		return v1.Why{}, err
	}
	key := delta.Key{Namespace: namespace, Name: name}
	w := v1.Why{At: time.Now(), Kind: kind, Namespace: namespace, Name: name}
	if about := objectOf(&k, key); about != nil {
		w.Cached, w.ResourceVersion = true, about.GetResourceVersion()
	}
	t, whole := o.telling(), true
	var reconcilers []string
	for _, c := range o.runtime.Controllers() {
		if c.Kind == k.GVK && c.Requests != nil {
			reconcilers = append(reconcilers, c.Name)
			if r, ok := t.requestOf(c, key, w.At); ok {
				w.Requests = append(w.Requests, r)
			} else {
				whole = false
			}
		}
	}
	told, why := t.callsOf(o.journal.CallsAbout(k.GVK, key, reconcilers, journal.CallFilter{Limit: lately}))
	found, _ := o.journal.Deltas(journal.Filter{Kind: kind, Namespace: namespace, Exact: true, Name: name, Limit: lately})
	deltas, whyDeltas := t.deltasOf(found)
	if w.Told, w.Deltas = told, deltas; !whole || why != "" || whyDeltas != "" {
		w.Cut = "Not all calls and changes are shown: the answer has room for no more."
	}
	return w, nil
}

// heldBack says how long the guard holds a request back, if it does.
func heldBack(c *observe.Controller, key delta.Key, now time.Time) string {
	if c.HeldUntil == nil {
		return ""
	}
	rest := c.HeldUntil(key).Sub(now)
	if rest <= 0 {
		return ""
	}
	return fmt.Sprintf(" Its calls are held back by the guard for another %s, but not those that hear of a deletion.", rest.Round(100*time.Millisecond))
}

// requestOf says how one request of a controller is doing.
func (t *telling) requestOf(c *observe.Controller, key delta.Key, now time.Time) (r v1.Request, ok bool) {
	r, ok = v1.Request{Controller: c.Name, State: "idle"}, true
	if _, ours := c.Queue(); !ours {
		r.State = "unknown"
	}
	if e, there := c.Requests.Entry(key); there {
		var item v1.Item
		item, ok = t.itemOf(c, &e)
		r.Item, r.State = &item, item.State
	}
	r.LastSuccess, _ = c.Requests.LastSuccess(key)
	if last, there := t.operator.journal.LastCall(c.Name, key); there && ok {
		var call v1.Reconcile
		call, ok = t.callOf(&last)
		r.Last = &call
	}
	if loop := loopAt(c, key); loop != nil && ok {
		r.Loop = new(t.loopOf(c, loop))
		ok = t.fits(r.Loop)
	}
	r.Summary = summaryOf(&r, t.unserved(c), t.failed(c, key, r.Last, now), now) + heldBack(c, key, now)
	return r, ok && t.fits(&v1.Request{Controller: r.Controller, LastSuccess: r.LastSuccess, Summary: r.Summary})
}

// loopAt returns the loop that a request is in, or nil.
func loopAt(c *observe.Controller, key delta.Key) *hotloop.Episode[delta.Key] {
	if c.Loops == nil {
		return nil
	}
	for _, e := range c.Loops() {
		if e.Request == key && e.Ended.IsZero() {
			return &e
		}
	}
	return nil
}

// unserved says what a controller that has no worker yet waits for. It is empty for one that has.
func (t *telling) unserved(c *observe.Controller) string {
	if stats, ours := c.Queue(); !ours || stats.Served {
		return ""
	}
	if !t.operator.leads() {
		return "The controller has not started: it waits until this replica leads, and until all that it watches is synced."
	}
	var unsynced []string
	for _, k := range t.operator.kinds() {
		if !k.Informer.HasSynced() && k.Informer.Status().Reflector.State != reflector.Idle {
			unsynced = append(unsynced, k.Name)
		}
	}
	says := "The controller has not started: it first waits until all that it watches is synced."
	if len(unsynced) > 0 {
		says += " Not synced: " + few(unsynced) + "."
	}
	return says
}

// failed says how a request fails whose calls the calls for others have pushed out of the journal.
func (t *telling) failed(c *observe.Controller, key delta.Key, last *v1.Reconcile, now time.Time) string {
	if last != nil {
		return ""
	}
	f, fails := t.operator.journal.FailureOf(c.Name, key)
	if !fails {
		return ""
	}
	row := ""
	if f.Times > 1 {
		row = fmt.Sprintf(", the last of %d in a row that failed", f.Times)
	}
	return fmt.Sprintf("Its last call began %s ago and failed%s. The error was: %s", since(f.Last, now), row, f.Error)
}

// summaryOf says it all in a few sentences.
func summaryOf(r *v1.Request, unserved, failed string, now time.Time) string {
	says := []string{stateInWords(r, now)}
	if unserved != "" {
		says = append(says, unserved)
	}
	switch last := r.Last; {
	case failed != "":
		says = append(says, failed)
	case last == nil && r.LastSuccess.IsZero():
		says = append(says, "No call of it is remembered.")
	case last == nil:
		says = append(says, fmt.Sprintf("It last succeeded %s ago.", since(r.LastSuccess, now)))
	default:
		text := fmt.Sprintf("Its last call began %s ago, because of %s, and came to: %s.", since(last.Began, now), inWords(last.Changes), last.Result)
		if last.Error != "" {
			text += " The error was: " + last.Error
		}
		says = append(says, text)
	}
	if r.Loop != nil {
		says = append(says, fmt.Sprintf("It is called again and again to no end: %s of %s, %d rounds.", r.Loop.Pattern, strings.Join(r.Loop.Paths, ", "), r.Loop.Rounds))
	}
	return strings.Join(says, " ")
}

func stateInWords(r *v1.Request, now time.Time) string {
	switch i := r.Item; {
	case i == nil && r.State == "unknown":
		return "Its queue is not one that can be looked into."
	case i == nil:
		return "It waits for nothing."
	case r.State == "working":
		return fmt.Sprintf("A worker has it since %s.", since(i.Working, now))
	case r.State == "ready":
		return fmt.Sprintf("It waits for a worker since %s, because of %s.", since(i.Queued, now), inWords(i.Why))
	case i.Attempts > 0:
		return fmt.Sprintf("After %d attempts that failed it is tried again in %s.", i.Attempts, i.Due.Sub(now).Round(100*time.Millisecond))
	default:
		return fmt.Sprintf("It waits for a timer, which is due in %s.", i.Due.Sub(now).Round(100*time.Millisecond))
	}
}

// inWords names changes briefly.
func inWords(changes []v1.Change) string {
	const most = 3
	var words []string
	for i := range changes {
		c := &changes[i]
		if i == most {
			words = append(words, fmt.Sprintf("%d more", len(changes)-most))
			break
		}
		text := strings.Join(c.Causes, "+")
		if c.Name != "" {
			_, short, _ := strings.Cut(c.Kind, " ") // without the version
			text += " " + short + " " + delta.Key{Namespace: c.Namespace, Name: c.Name}.String()
		}
		if c.Op != "" {
			text += " " + c.Op
		}
		if c.Manager != "" {
			text += " by " + c.Manager
		}
		if c.Own {
			text += " (an own write)"
		}
		if c.Again {
			text += " (told again)"
		}
		words = append(words, text)
	}
	if len(words) == 0 {
		return "something that is not recorded"
	}
	return strings.Join(words, ", ")
}
