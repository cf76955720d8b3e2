package delta

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// Why a step runs where no single change says it.
const (
	dependsOnNothing = "it depends on nothing"
	noReasonKnown    = "the call has no reason that is known"
	relistedSince    = "a relist may have hidden changes"
	newborn          = "the object is new, and no success with it is known"
	notDone          = "it failed before, or the last call that succeeded did not reach it"
)

// stepReason is why a step runs: a change, or else a text.
type stepReason struct {
	change *Change
	text   string
	blind  bool // the step can never be skipped
}

func (r *stepReason) String() string {
	if r.change != nil {
		return r.change.String()
	}
	return r.text
}

// reason says why the step has to run. done is whether it need not, as far as earlier calls
// know. The result is false if the step can be skipped.
func (s Step) reason(c *Changes, done bool) (stepReason, bool) {
	var room [4]judged
	on := room[:0]
	for i := range s.on {
		d, err := s.on[i].judge(c)
		if err != nil { // a mistake is told at the first call
			return stepReason{text: err.Error(), blind: true}, true
		}
		on = append(on, d)
	}
	switch {
	case len(s.on) == 0 && s.causes == 0:
		return stepReason{text: dependsOnNothing}, true
	case !c.complete:
		return stepReason{text: "incomplete: " + c.Incomplete()}, true
	case len(c.list) == 0:
		return stepReason{text: noReasonKnown}, true
	case c.doubt:
		return stepReason{text: relistedSince}, true
	case c.first:
		return stepReason{text: firstTime}, true
	case c.begins:
		return stepReason{text: newborn}, true
	case !done:
		return stepReason{text: notDone}, true
	}
	causes := s.causes
	if c.looks() && !s.notOnResync {
		causes = causes.with(Resync)
	}
	for i := range c.list {
		if change := &c.list[i]; unattributed(change) || causes&causesOf(change) != 0 {
			return stepReason{change: change}, true
		}
	}
	at := placesIn(c.list)
	for i := range on {
		if change := on[i].touchedBy(c, &at); change != nil {
			return stepReason{change: change}, true
		}
	}
	return stepReason{}, false
}

// judged is a dependency that can be judged by changes.
type judged struct {
	key      Key
	concerns func(*Change) bool
	paths    []path.Path
}

// judge reads the dependency, or says why it can't be judged.
func (d *dependency) judge(c *Changes) (judged, error) {
	if path.Present(d.example) == nil {
		return judged{}, errors.New("the step depends on an example that is nil, which says no kind")
	}
	j, of := judged{key: d.key}, path.KindOf(d.example)
	if c.facts == nil || c.facts.KindOf == nil {
		j.concerns = maybe(sameType(d.example))
	} else {
		kind, err := c.facts.KindOf(d.example)
		if err != nil {
			return judged{}, fmt.Errorf("look up the kind of %T, on which a step depends: %w", d.example, err)
		}
		if err := c.facts.watched(kind); err != nil {
			return judged{}, err
		}
		j.concerns, of.GVK = maybe(sameKind(kind)), cmp.Or(of.GVK, kind)
	}
	j.paths = make([]path.Path, 0, len(d.paths))
	for _, text := range d.paths {
		field, err := c.facts.check([]path.Kind{of}, text)
		if err != nil {
			return judged{}, err
		}
		j.paths = append(j.paths, field)
	}
	return j, nil
}

// touchedBy returns a change that touches the dependency, or nil. [Changes.Touches] judges
// a retry as a whole. Here each change is judged, because all that the attempt before was
// told is among them.
func (d *judged) touchedBy(c *Changes, at *places) *Change {
	for i := range c.list {
		if change := &c.list[i]; d.concerns(change) && d.key.includes(aboutWhat(change)) && showsAt(c, at, i, d.paths) {
			return change
		}
	}
	return nil
}

// showsAt reports whether change i touches one of the paths, or without paths anything.
func showsAt(c *Changes, at *places, i int, paths []path.Path) bool {
	change, before := &c.list[i], prior(c, at, i)
	if len(paths) == 0 {
		return showsMore(change) || before != nil && !had(change, before.Object())
	}
	return touches(change, paths) || touchesSince(before, change, paths)
}

// includes reports whether another key is the same where k says something.
func (k Key) includes(other Key) bool {
	return (k.Namespace == "" || k.Namespace == other.Namespace) && (k.Name == "" || k.Name == other.Name)
}

// aboutWhat is the key of the object. A test may leave it out of the change.
func aboutWhat(c *Change) Key {
	obj := c.Object()
	if c.Key != (Key{}) || obj == nil {
		return c.Key
	}
	return Key{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// showsMore reports whether a change is anything but a resync that shows the state that the
// request was told of last.
func showsMore(c *Change) bool {
	return c.Op != Sync || !isUpdate(c) || c.unsure || c.Relisted ||
		len(c.touched) > 0 || len(c.between) > 0 || !path.SameState(c.Old, c.New)
}
