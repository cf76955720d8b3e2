package delta

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// Changes are all reasons for a request that have come up since the reconciler last
// succeeded with it, as far as they are known. They are advice: a reconciler that does
// what it would have done without them is right, and one that leaves out work because
// of them has to look at [Changes.Complete] first. [Changes.Only] and [Changes.Touches]
// do that themselves.
//
// The zero value knows nothing, and is not complete.
type Changes struct {
	list     []Change
	attempt  int
	retry    bool // what an attempt failed with has to be done again
	doubt    bool // a relist may have hidden what was undone before it
	first    bool // the reconciler is not known to have succeeded before
	begins   bool // the object that the request is about is another one than that of the last success, or may be
	complete bool
	lacking  string // why it is not complete
	resync   bool   // a resync is among the causes of the call, also where it is not in list
	about    Object // an example of the one kind that was asked for; nil if there is none
	facts    *facts
}

// facts are what a ledger's changes have in common.
type facts struct {
	LedgerOptions
	listed []listedKind // where Watches is nil, a watch shows these kinds, and no others
	paths  *pathChecks  // nil where nothing is remembered
}

// NewChanges returns changes that are complete, at the first attempt. It is for tests of a
// reconciler; see [NewContext] and [Changes.Assume].
func NewChanges(list ...Change) Changes {
	for i := range list {
		list[i].Deltas = max(1, list[i].Deltas)
	}
	return Changes{list: list, attempt: 1, complete: true, resync: slices.ContainsFunc(list, isResync)}
}

// isResync reports whether it was time to look at the object, or somebody asked for it.
func isResync(c Change) bool { return c.Is(Resync) }

// looks reports whether the call is to look at everything, because a resync asks for it.
func (c Changes) looks() bool { return c.resync && (c.facts == nil || !c.facts.SkipOnResync) }

// Circumstances are what is known of a call besides its changes; see [Changes.Assume].
type Circumstances struct {
	// Attempt is one more than how many calls in a row have failed. Zero means 1.
	Attempt int
	// Lacking says why the changes are not complete. They are if it is empty.
	Lacking string
	// Writes makes [Change.Own] work. It may be nil.
	Writes OwnWrites
}

// Assume returns the changes as a reconciler is told them under other circumstances. It is
// for tests of a reconciler:
//
//	delta.NewChanges(change).Assume(delta.Circumstances{Attempt: 2})
func (c Changes) Assume(when Circumstances) Changes {
	c.attempt, c.retry = max(1, when.Attempt), when.Attempt > 1
	c.complete, c.lacking = when.Lacking == "", when.Lacking
	if when.Writes == nil {
		return c
	}
	var known facts
	if c.facts != nil {
		known = *c.facts
	}
	known.Writes = when.Writes
	c.facts, c.list = &known, slices.Clone(c.list)
	for i := range c.list {
		c.list[i].facts = &known
	}
	return c
}

// lack returns c with something that is not known.
func (c Changes) lack(why string) Changes {
	c.complete, c.lacking = false, why
	return c
}

// Complete reports whether these are all changes that the controller's watches have
// shown since the reconciler last succeeded. They are not after a restart, until the
// first success; see [Changes.Incomplete] for what else may be lacking.
func (c Changes) Complete() bool { return c.complete }

// Incomplete says why the changes are not complete. It is empty where they are.
func (c Changes) Incomplete() string {
	switch {
	case c.complete:
		return ""
	case c.lacking == "":
		return notFollowed
	default:
		return c.lacking
	}
}

// Attempt is one more than how many calls in a row have failed. It is zero where that is
// not known.
func (c Changes) Attempt() int { return c.attempt }

// Len is the number of changes.
func (c Changes) Len() int { return len(c.list) }

// All yields the changes, in the order in which each was first heard of.
func (c Changes) All() iter.Seq[Change] { return slices.Values(c.list) }

// Only reports whether nothing has happened but these: Only(delta.Sync) means that
// there has been a resync, and no more. It is false where the changes are not complete,
// and at a retry, since what is to be retried is not known from them.
func (c Changes) Only(ops ...Op) bool {
	if !c.complete || len(c.list) == 0 || c.attempt > 1 || c.doubt {
		return false
	}
	for i := range c.list {
		change := &c.list[i]
		if !slices.Contains(ops, change.Op) || hidesUpdate(change) && !slices.Contains(ops, Updated) {
			return false
		}
	}
	return true
}

// hidesUpdate reports whether a resync shows what nobody was told of, so that it is an
// update as well.
func hidesUpdate(c *Change) bool {
	if c.Op != Sync {
		return false
	}
	return c.unsure || len(c.touched) > 0 || c.Old != nil && anotherVersion(c.Old, c.New) ||
		slices.ContainsFunc(c.between, func(state Object) bool { return anotherVersion(state, c.New) })
}

// anotherVersion is false for objects without a version: nothing is known of them.
func anotherVersion(a, b Object) bool {
	x, y := a.GetResourceVersion(), b.GetResourceVersion()
	return x != "" && y != "" && x != y || !path.SameObject(a, b)
}

// Has reports whether any change has this cause. If a relist may have hidden some, it is
// true for the causes that watches have: an object may have come and gone before the list.
// An [External] request may have been made for anything.
func (c Changes) Has(cause Cause) bool {
	if c.complete && c.doubt && (cause == Primary || cause == Owned || cause == Mapped) {
		return true
	}
	return slices.ContainsFunc(c.list, func(change Change) bool { return change.Is(cause) })
}

// By returns the changes that have one of these causes. It is as complete as the changes
// are, unless it leaves out a request whose cause nobody recorded, which may have been any,
// or leaves out anything before the first success; see [Changes.Of].
func (c Changes) By(causes ...Cause) Changes {
	return c.where(func(change *Change) (has, known bool) { return slices.ContainsFunc(causes, change.Is), true })
}

// Of returns the changes of objects of the same kind as the example:
// Of(&appsv1.Deployment{}). How the objects are represented does not matter. It is as
// complete as the changes are, unless it leaves out a request that was made for an unknown
// object, or an object of an unknown kind. It is not complete for a kind that no watch of
// the controller shows, and the log says so. Before the first success it is complete only
// if it leaves out nothing: of an object that has just been created all is known, but
// nothing has been done yet for what else there is.
func (c Changes) Of(example Object) Changes {
	same := sameType(example)
	var unwatched error
	if path.Present(example) != nil && c.facts != nil && c.facts.KindOf != nil {
		kind, err := c.facts.KindOf(example)
		switch {
		case err == nil:
			same, unwatched = sameKind(kind), c.facts.watched(kind)
		case c.facts.Watches == nil:
			unwatched = fmt.Errorf("look up the kind of %T: %w", example, err) // no watch of the controller can be known by it
		}
	}
	c.about = example
	if c = c.where(same); c.complete && unwatched != nil {
		c = c.lack(unwatched.Error())
	}
	return c
}

// chooser says of a change whether it is wanted, and whether that is known.
type chooser func(*Change) (wanted, known bool)

// maybe takes what is not known to be unwanted.
func maybe(wants chooser) func(*Change) bool {
	return func(change *Change) bool {
		wanted, known := wants(change)
		return wanted || !known
	}
}

// sameKind wants the changes of objects of the kind.
func sameKind(kind schema.GroupVersionKind) chooser {
	return func(change *Change) (wanted, known bool) {
		return change.Kind == kind, !change.Kind.Empty() || change.Object() == nil
	}
}

// sameType compares as well as can be done without a scheme.
func sameType(example Object) chooser {
	if path.Present(example) == nil {
		return func(*Change) (wanted, known bool) { return false, false }
	}
	kind, typed := example.GetObjectKind().GroupVersionKind(), !path.KindOf(example).Untyped()
	return func(change *Change) (wanted, known bool) {
		obj := change.Object()
		switch {
		case !kind.Empty() && !change.Kind.Empty():
			return change.Kind == kind, true
		case obj == nil:
			return false, true
		default:
			return reflect.TypeOf(obj) == reflect.TypeOf(example), typed && !path.KindOf(obj).Untyped()
		}
	}
}

// where returns the changes that are wanted. They are not complete where one is left out
// that may be wanted.
func (c Changes) where(wants chooser) Changes {
	all := c.list
	c.list = nil
	for i := range all {
		change := &all[i]
		switch wanted, known := wants(change); {
		case wanted:
			c.list = append(c.list, *change)
		case c.complete && (!known || unattributed(change)):
			c = c.lack(leftOut)
		case c.complete && c.first:
			c = c.lack(firstTime)
		}
	}
	return c
}

// unattributed reports whether nobody knows what object the request was made for.
func unattributed(c *Change) bool {
	return c.Cause == External || c.Cause == Generic && c.New == nil
}

// String is a line for a log.
func (c Changes) String() string {
	var b strings.Builder
	for i := range c.list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.list[i].String())
	}
	if len(c.list) == 0 {
		b.WriteString("nothing known")
	}
	if !c.complete {
		b.WriteString(" (incomplete: " + c.Incomplete() + ")")
	}
	return b.String()
}
