package skip

import (
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// shownBy names an object as a watch shows it.
type shownBy struct {
	watch int
	id    objectID
}

// sighting is a state of an object that a watch has made a request for.
type sighting struct {
	version int64
	at      time.Time
}

// sightings are the newest of them, oldest first: what is shown at the very moment at which
// a call begins may or may not have been told to it, so those of before are there as well.
type sightings []sighting

// newest is the newest one before a moment.
func (s sightings) newest(before time.Time) (sighting, bool) {
	for _, one := range slices.Backward(s) {
		if one.at.Before(before) {
			return one, true
		}
	}
	return sighting{}, false
}

// show notes that a request was made for an object at a version.
func (o *operator) show(w *watch, r reconcile.Request, id objectID, version int64) {
	o.note(func() string {
		return fmt.Sprintf("%-8s watch %d adds %s for %s at %d", o.temper, w.n, r.Name, id, version)
	})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.aboutLocked(r).added = time.Now()
	key := shownBy{w.n, id}
	if o.flights[key].overtakes(version) {
		o.flights[key].waiting = append(o.flights[key].waiting, waiting{r, version})
		return
	}
	o.showLocked(key, r, version)
}

func (o *operator) showLocked(key shownBy, r reconcile.Request, version int64) {
	m, now := o.aboutLocked(r), time.Now()
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

// flight are the events of an object that a handler keeps, to add later. What overtakes
// one of them has not been shown before that one has: it does not say what changed until
// then.
type flight struct {
	versions []int64
	waiting  []waiting
}

// waiting is a request that was made for a version.
type waiting struct {
	request reconcile.Request
	version int64
}

// overtakes reports whether an older version has not landed yet.
func (f *flight) overtakes(version int64) bool {
	return f != nil && slices.ContainsFunc(f.versions, func(older int64) bool { return older < version })
}

// takeOff notes that a handler keeps an event.
func (o *operator) takeOff(w *watch, id objectID, version int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := shownBy{w.n, id}
	if o.flights[key] == nil {
		o.flights[key] = &flight{}
	}
	o.flights[key].versions = append(o.flights[key].versions, version)
}

// land notes that a handler has added what it had to add for an event that it kept.
func (o *operator) land(w *watch, id objectID, version int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := shownBy{w.n, id}
	f := o.flights[key]
	i := slices.Index(f.versions, version)
	f.versions = slices.Delete(f.versions, i, i+1)
	for _, late := range f.waiting {
		if !f.overtakes(late.version) {
			o.showLocked(key, late.request, late.version)
		}
	}
	f.waiting = slices.DeleteFunc(f.waiting, func(late waiting) bool { return !f.overtakes(late.version) })
}

// showResync notes that a request was made for a resync. A source of controller-runtime
// does not tell why it makes one, and where lists are made again they look the same.
func (o *operator) showResync(w *watch, r reconcile.Request) {
	if w.route == viaTheirs || !o.has(resyncs) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	m := o.aboutLocked(r)
	m.resyncs = append(m.resyncs, time.Now())
}

// newest is the newest state of an object that the watches of a job have made the request
// for before the call began.
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

// judgeSkip checks the promise for a job that the lazy operator was told it may skip: what
// the watches have shown last is what it has seen since its last successful call began, and
// what is outside because of what it saw before. What it has seen that no watch has shown
// yet is still to be told.
func (c *call) judgeSkip(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.aboutLocked(c.request)
	if m.failed {
		c.fail(skipsWrongly, "%s was told that it may skip %s although the call before has failed", c, j)
	}
	if j.relation == byMention {
		return // the work depends on two objects; the end will show
	}
	for _, id := range c.candidates(j) {
		version, ok := c.newestLocked(j, id)
		if !ok {
			continue
		}
		want := c.value(j, id, c.server.at(id, version), "")
		p := piece{j.n, id}
		out, done := m.outputs[p]
		if !done {
			out = output{0, "-"}
		}
		for _, seen := range append([]output{out}, m.seen[p]...) {
			if seen.version <= version && seen.value != want {
				c.fail(skipsWrongly, "%s was told that it may skip %s: %s was seen at %d as %s and is shown at %d as %s",
					c, j, id, seen.version, seen.value, version, want)
				break
			}
		}
	}
}

// judge looks at what has become of the world.
func (w *world) judge() {
	for _, f := range w.complaints() {
		w.fail(f.wrong, "%s", f.text)
	}
}

// complaints are what is wrong if nothing more is to happen.
func (w *world) complaints() (all []failure) {
	for _, o := range w.operators {
		for _, id := range w.objects(w.primary()) {
			all = append(all, o.complaints(reconcile.Request{NamespacedName: id.key()})...)
		}
	}
	return all
}

// complaints say whether a request was called for all that it was made for, and what is
// outside is what it should be.
func (o *operator) complaints(r reconcile.Request) (all []failure) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := o.aboutLocked(r)
	complain := func(as wrong, format string, args ...any) {
		all = append(all, failure{as, fmt.Sprintf(format, args...)})
	}
	if m.added.After(m.called.Add(o.slack)) {
		complain(neverCalled, "the %s operator was never called for %s, which was made at %v", o.temper, r, m.added.Sub(o.began))
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
			if got.value == "" {
				got.value = "-"
			}
			if got.value != want {
				complain(endsWrongly, "in the end the %s operator has %s for %s and %s, from version %d; it should be %s, as at %d (%s)",
					o.temper, got.value, r, id, got.version, want, was.version, j)
			}
		}
	}
	return all
}
