package delta

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// Change is one reason for a request: what happened to one object, from how it was
// when the reconciler last succeeded, or when it was first heard of since, to how it
// is now. The objects are the cache's and must not be changed.
type Change struct {
	// Cause is why the change matters to the request. If it came by several watches, it has
	// several causes, and this is one; see [Change.Is].
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
	// Relisted marks a change before which something may have happened unseen; see
	// [Delta.Relisted].
	Relisted bool
	// Origin is who made the last change, if that was read off the object before a
	// transform removed it. [Change.Manager] also looks at the object.
	Origin *Origin

	dealt  bool   // of a Retry: what had been told was dealt with before the attempt failed
	unsure bool   // the object may have had states that are not among these
	retold bool   // an earlier call was told at least a part of it
	news   bool   // of one that is retold: there is more in it than that call was told
	told   Object // the last state that an earlier call was told; nil if there is none
	begins bool   // the request is about this object, which is another one than that of the last success, or may be
	causes causes // all of them, if there is more than Cause
	watch  Cause  // of a Sync: what a change is that its watch shows
	// between are the states that the object had on its way from Old to New, touched the
	// fields that have changed since the last state before Old that the request was told
	// of. A reconciler may have read any of these states.
	between []Object
	touched []path.Path

	once  *once // the identity of the last delivery in it
	facts *facts
}

// once is the identity of a delivery. The number orders the deliveries of one stream.
type once struct {
	stream any // nil: of none
	number uint64
}

// place returns the stream, nil if there is none, and where the delivery is in it.
func (o *once) place() (stream any, number uint64) {
	if o == nil {
		return nil, 0
	}
	return o.stream, o.number
}

// Is reports whether the change has this cause. A change that came by two watches, as
// the child of an owner and by a map function, has two. A resync that came with an update
// is one of the update's causes. A resync that shows an update that nobody was told of has
// the cause of its watch, too.
func (c Change) Is(cause Cause) bool { return c.Cause == cause || c.causes.has(cause) }

// causesOf are Cause and all others.
func causesOf(c *Change) causes { return c.causes.with(c.Cause) }

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
// event of a write may come before the answer to it. Where it is not known it is false.
// Nothing is known of a client that does not remember
// what it writes: that of a manager does if manager.Configure configured it, or with
// NewClient: manager.NewClient, and not with NewCache: cache.New alone.
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
		return !c.Missed && c.New.GetDeletionTimestamp() == nil && writes.Deleted(c.New.GetUID())
	case c.Op == Added:
		return writes.Made(c.New.GetUID(), "", c.New.GetResourceVersion())
	case c.Op == Updated && c.Old != nil && c.Old.GetResourceVersion() != "":
		return c.Old.GetUID() == c.New.GetUID() &&
			writes.Made(c.New.GetUID(), c.Old.GetResourceVersion(), c.New.GetResourceVersion())
	default:
		return false
	}
}

// OwnWrites knows what the controller's own client has written. manager.NewWrites makes one.
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
	fmt.Fprintf(&b, "%s %s %s", causesOf(&c), c.Kind.Kind, c.Key)
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
