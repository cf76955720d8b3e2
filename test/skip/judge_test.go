package skip

import (
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/promise"
)

// shownBy names an object and a watch that shows it.
type shownBy struct {
	watch int
	id    objectID
}

// sighting is a state of an object that made a watch add a request.
type sighting struct {
	version int64
	at      time.Time
}

// sightings are the newest ones, oldest first. A sighting at the moment when a call begins
// may have been told to the call or not. So earlier ones are kept as well.
type sightings []sighting

// newest is the newest sighting before a moment.
func (s sightings) newest(before time.Time) (sighting, bool) {
	for _, one := range slices.Backward(s) {
		if one.at.Before(before) {
			return one, true
		}
	}
	return sighting{}, false
}

// show notes that a watch has added a request for an object at a version.
func (o *operator) show(w *watch, r reconcile.Request, id objectID, version int64) {
	o.note(func() string {
		return fmt.Sprintf("%-8s watch %d adds %s for %s at %d", o.temper, w.n, r.Name, id, version)
	})
	o.mu.Lock()
	defer o.mu.Unlock()
	m, now, key := o.aboutLocked(r), time.Now(), shownBy{w.n, id}
	m.added = now
	all := m.shown[key]
	if len(all) > 0 && all[len(all)-1].version >= version {
		return
	}
	all = append(all, sighting{version, now})
	for len(all) > 2 && all[1].at.Before(now.Add(-o.slack)) {
		all = all[1:]
	}
	m.shown[key] = all
}

// showResync notes that a request was added for a resync. It leaves out sources of
// controller-runtime, which do not say why they add a request. It also leaves out worlds with
// relists, which look the same.
func (o *operator) showResync(w *watch, r reconcile.Request) {
	if w.route == viaTheirs || !o.has(resyncs) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	m := o.aboutLocked(r)
	m.resyncs = append(m.resyncs, time.Now())
}

// newestLocked returns the newest version of an object that made the watches of a job add the
// request before the call began.
func (c *call) newestLocked(j *job, id objectID) (int64, bool) {
	var newest int64
	found := false
	for _, w := range j.shownBy {
		if s, ok := c.aboutLocked(c.request).shown[shownBy{w.n, id}].newest(c.began.Add(-c.slack)); ok {
			newest, found = max(newest, s.version), true
		}
	}
	return newest, found
}

// judgeSkip checks the promise for a job that the lazy operator may skip.
func (c *call) judgeSkip(j *job) {
	c.mu.Lock()
	failed := c.aboutLocked(c.request).failed && !c.in.dead.Load()
	c.mu.Unlock()
	if failed {
		c.fail("%s was told that it may skip %s although the call before has failed", c, j)
	}
	c.judgeValues(j)
}

// judgeValues checks that there is nothing to do for a job that is skipped: package promise judges the reads, and the
// output from before counts as one.
func (c *call) judgeValues(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.aboutLocked(c.request)
	if c.in.dead.Load() {
		return
	}
	if j.relation == byMention {
		return // the work depends on two objects; the check at the end covers it
	}
	for _, id := range c.candidates(j) {
		version, ok := c.newestLocked(j, id)
		if !ok {
			continue
		}
		shown := promise.Read{Version: version, Value: c.value(j, id, c.server.at(id, version), "")}
		p := piece{j.n, id}
		out, done := m.outputs[p]
		if !done {
			out.Value = "-"
		}
		seen, wrong := promise.Outdated([]promise.Read{out}, shown)
		if !wrong {
			seen, wrong = m.reads.Outdated(p, shown)
		}
		if wrong {
			c.fail("%s was told that it may skip %s: it has read %s at %d as %s, and the watches show it at %d as %s",
				c, j, id, seen.Version, seen.Value, version, shown.Value)
		}
	}
}

// judge checks the end of the world.
func (w *world) judge() {
	for _, wrong := range w.complaints() {
		w.fail("%s", wrong)
	}
}

// complaints returns what is wrong if nothing more happens.
func (w *world) complaints() (all []string) {
	for _, o := range w.operators {
		for _, id := range w.objects(w.primary()) {
			all = append(all, o.complaints(reconcile.Request{NamespacedName: id.key()})...)
		}
	}
	return all
}

// complaints checks that the reconciler was called after the last addition of a request, and
// that its outputs are right.
func (o *operator) complaints(r reconcile.Request) (all []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := o.aboutLocked(r)
	complain := func(format string, args ...any) {
		all = append(all, fmt.Sprintf(format, args...))
	}
	if m.added.After(m.called.Add(o.slack)) {
		complain("the %s operator was never called for %s, which was added at %v", o.temper, r, m.added.Sub(o.began))
	}
	for _, j := range o.jobs {
		mentioned := ""
		if j.relation == byMention {
			if was := o.server.present(objectID{o.primary(), r.Namespace, r.Name}); was != nil {
				mentioned, _ = j.mentionedBy(o.primary(), was)
			}
		}
		for _, id := range o.candidatesFor(j, r.Namespace, r.Name) {
			was := o.server.present(id)
			if was == nil {
				was = &state{}
			}
			want, got := j.value(r.Name, id, was, mentioned), m.outputs[piece{j.n, id}]
			if got.Value == "" {
				got.Value = "-"
			}
			if got.Value != want {
				complain("at the end the %s operator has %s for %s and %s, from version %d; it should be %s, as at %d (%s)",
					o.temper, got.Value, r, id, got.Version, want, was.version, j)
			}
		}
	}
	return all
}
