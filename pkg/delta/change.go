package delta

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Change is one reason for a request: what happened to one object, from how it was
// when the reconciler last succeeded, or when it was first heard of since, to how it
// is now. The objects are the cache's and must not be changed.
type Change struct {
	Cause Cause
	// Kind and Key say which object. Both are zero where there is none: for a Retry, a
	// Timer, and what is External.
	Kind schema.GroupVersionKind
	Key  Key

	// Op, Old and New are as in a [Delta]: Old is nil for what was Added, New for what
	// was Deleted unnoticed. A Generic event has only New, and no Op.
	Op  Op
	Old Object
	New Object

	// First is when the first of the deltas in it was seen, Last is when the last was.
	First time.Time
	Last  time.Time
	// Deltas is how many deltas it was made of.
	Deltas int
	// Missed marks a deletion that no event told of.
	Missed bool
	// Relisted marks what a relist showed: what happened in between is unknown.
	Relisted bool
	// Origin is who made the last change, if that was read off the object before a
	// transform removed it. [Change.Manager] also looks at the object.
	Origin *Origin

	forgot bool  // deltas were folded into it before it was recorded, so there were states that nobody was shown
	once   *once // the identity of the last delta in it
	facts  *facts
}

// once is the identity of a delivery: it has a size, so that no two are the same.
type once struct{ _ byte }

// Once returns c so that it counts once for a request, however often it is recorded
// for it: a handler may add a request for the old state of an object and for the new.
func (c Change) Once() Change {
	c.once = new(once)
	return c
}

// Object is the best known state of the object: the new one, or the last known of one
// that is gone. It is nil where the change is about none.
func (c Change) Object() Object {
	if c.New != nil {
		return c.New
	}
	return c.Old
}

// Own reports whether everything in this change was written through the controller's own
// client, from Old to New without a gap. It is judged when it is asked, because the
// event of a write may come before the answer to it. Where it is not known it is false:
// see [Writes] for which writes are.
//
// A deletion is the client's own if its request removed the object at once. If a
// finalizer or a grace period came in between, somebody else made an end of it.
func (c Change) Own() bool {
	if c.facts == nil || c.facts.Writes == nil {
		return false
	}
	writes := c.facts.Writes
	switch {
	case c.New == nil:
		return false
	case c.Op == Deleted:
		return !c.Missed && !c.forgot && c.New.GetDeletionTimestamp() == nil && writes.Deleted(c.New.GetUID())
	case c.Op == Added:
		return writes.Made(c.New.GetUID(), "", c.New.GetResourceVersion())
	case c.Op == Updated && c.Old != nil && c.Old.GetResourceVersion() != "":
		return c.Old.GetUID() == c.New.GetUID() &&
			writes.Made(c.New.GetUID(), c.Old.GetResourceVersion(), c.New.GetResourceVersion())
	default:
		return false
	}
}

// OwnWrites knows what the controller's own client has written. [Writes] does.
type OwnWrites interface {
	// Made reports whether everything that happened to the object on its way from one
	// version to another was written by the client. An empty from is before it existed.
	Made(uid types.UID, from, to string) bool
	// Deleted reports whether the client has deleted the object, or begun to.
	Deleted(uid types.UID) bool
	// Settled waits until it is known what came of the writes of the object that are on
	// their way now, or until ctx ends, which is its error.
	Settled(ctx context.Context, obj Object) error
}

// String is a line for a log: what happened to which object, and why that matters.
func (c Change) String() string {
	if c.Kind.Kind == "" {
		return c.Cause.String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", c.Cause, c.Kind.Kind, c.Key)
	if c.Op != 0 {
		fmt.Fprintf(&b, " %s", c.Op)
	}
	if c.Missed {
		b.WriteString(" unnoticed")
	}
	if c.Deltas > 1 {
		fmt.Fprintf(&b, " ×%d", c.Deltas)
	}
	if manager := c.Manager(); manager != "" && c.Op == Updated {
		fmt.Fprintf(&b, " by %s", manager)
	}
	return b.String()
}
