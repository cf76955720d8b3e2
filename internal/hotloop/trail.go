package hotloop

import (
	"hash/maphash"
	"reflect"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

const (
	mostObjects = 8  // of one request
	mostTracks  = 32 // of one object
	mostSteps   = 64 // of one call
	longestPath = 1 << 10
)

// objectID is an object, as one watch shows it: typed objects and their metadata come at paces of
// their own.
type objectID struct {
	kind schema.GroupVersionKind
	key  delta.Key
	form reflect.Type
}

// trail has the objects that a request is called for, if it is called often. It has no lock: one call at a time
// has it.
type trail struct {
	busy    bool          // guarded by Watch.mu, as over is
	over    bool          // an episode is over, so the next one needs proof of its own
	held    time.Duration // for so long the caller may hold the request back
	seed    maphash.Seed
	objects map[objectID]*object
	row     row
	turn    int // of look; says which object was used last
}

func newTrail(seed maphash.Seed) *trail {
	return &trail{seed: seed, objects: map[objectID]*object{}}
}

// restart forgets what speaks for a loop. It knows which states were looked at: a call that
// failed is told them again.
func (t *trail) restart() {
	t.over, t.row = false, row{}
	for _, o := range t.objects {
		clear(o.tracks)
	}
}

// object is one that a request is called for.
type object struct {
	held    delta.Object // the last state that was looked at, nil if it was deleted
	uid     types.UID
	version uint64 // of that state
	tracks  map[string]*track
	turn    int
	made    int // the turn when it became known
}

// unfolder knows the states that a change is of.
var unfolder ledger.Marker[delta.Change, delta.Cause] = new(delta.Ledger[int]).Clerk()

// look goes through what a call is told, and returns what speaks for a loop.
func (t *trail) look(changes delta.Changes, at time.Time) []sign {
	t.turn++
	v := visit{trail: t, at: at, left: mostSteps}
	for c := range changes.All() {
		v.change(&c)
	}
	own := t.row.end(&v)
	if own != nil && !slices.ContainsFunc(v.signs, func(s sign) bool { return s.object == own.object }) {
		v.signs = append(v.signs, *own)
	}
	return v.signs
}

// visit is one look.
type visit struct {
	*trail

	at      time.Time
	when    time.Time // the step was seen that is looked at
	left    int       // steps that may still be compared
	signs   []sign
	foreign bool                 // something is told that the controller did not write, or that is not an update
	written map[writtenAt]string // what the controller has written, and its manager
}

func (v *visit) change(c *delta.Change) {
	obj := c.Object()
	if obj == nil || c.Op == 0 {
		v.foreign = true
		return
	}
	id := objectID{c.Kind, c.Key, reflect.TypeOf(obj)}
	if versionOf(obj) == 0 { // nobody could say whether another watch has shown it
		v.foreign = true
		return
	}
	o := v.object(id)
	steps := slices.Collect(unfolder.Unfold(*c))
	for i := range steps {
		v.when = between(c, v.at, i, len(steps))
		switch step := &steps[i]; {
		case unfolder.Retold(*step):
			if o.made == v.turn { // it was forgotten, or an earlier call was not looked at
				o.follow(step)
			}
		case step.Op == delta.Updated || step.Op == delta.Sync:
			v.step(id, o, step)
		case step.Op == delta.Added && o.held != nil && !o.fresh(step), o.isPast(step): // another watch has shown it
		default:
			o.follow(step)
			v.foreign = true
		}
	}
}

// between is when the i-th of n steps was seen, if they came at one pace.
func between(c *delta.Change, at time.Time, i, n int) time.Time {
	if c.First.IsZero() || c.Last.Before(c.First) || c.Last.After(at) {
		return at
	}
	return c.Last.Add(-c.Last.Sub(c.First) / time.Duration(n) * time.Duration(n-1-i))
}

// object returns the object of an ID. It forgets the one that was told of least recently.
func (t *trail) object(id objectID) *object {
	o, ok := t.objects[id]
	if !ok {
		makeRoom(t.objects, mostObjects, func(a, b *object) bool { return a.turn < b.turn })
		o = &object{tracks: map[string]*track{}, made: t.turn}
		t.objects[id] = o
	}
	o.turn = t.turn
	return o
}

// step looks at one state, unless another watch has shown it before. It is compared with the state that was looked at last.
func (v *visit) step(id objectID, o *object, c *delta.Change) {
	if o.held == nil && c.Old != nil && o.version == 0 {
		o.hold(c.Old)
	}
	if !o.fresh(c) {
		return
	}
	before := o.held
	another := before == nil || o.uid != c.New.GetUID()
	o.hold(c.New)
	if another {
		v.foreign = true
		return
	}
	c.Op, c.Old = delta.Updated, before
	own := c.Own()
	v.foreign = v.foreign || !own
	if v.left--; v.left < 0 || !own && alone(before, c.New) {
		return
	}
	for _, e := range v.edits(c) {
		if len(e.path) > longestPath { // a key that nobody would read
			continue
		}
		if own && e.path != "metadata.generation" { // which follows from any other
			v.write(writtenAt{id, e.path}, e.writer)
		}
		v.track(id, o, &e)
	}
}

func (v *visit) write(at writtenAt, manager string) {
	if v.written == nil {
		v.written = map[writtenAt]string{}
	}
	v.written[at] = manager
}

// versionOf is the version of a state, and zero if it is not a number.
func versionOf(state delta.Object) uint64 {
	n, err := strconv.ParseUint(state.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// fresh reports whether a change leads to a state that was not looked at before. Versions go back only if the server does, or
// if the object is another one.
func (o *object) fresh(c *delta.Change) bool {
	version := versionOf(c.New)
	return version > o.version || o.uid != c.New.GetUID() || c.Old != nil && version < versionOf(c.Old)
}

// isPast reports whether a change is the end of an object that came before.
func (o *object) isPast(c *delta.Change) bool {
	of := c.Object()
	return (c.Op == delta.Deleted || c.Op == delta.OutOfScope) && o.held != nil && o.uid != of.GetUID() && versionOf(of) < o.version
}

// follow takes over what a change led to, without a look at what it changed.
func (o *object) follow(c *delta.Change) {
	if c.Op == delta.Deleted || c.Op == delta.OutOfScope {
		clear(o.tracks)
		o.held, o.uid, o.version = nil, c.Object().GetUID(), versionOf(c.Object())
		return
	}
	o.hold(c.New)
}

// hold makes a state the last one.
func (o *object) hold(state delta.Object) {
	if o.held != nil && o.uid != state.GetUID() {
		clear(o.tracks)
	}
	o.held, o.uid, o.version = state, state.GetUID(), versionOf(state)
}
