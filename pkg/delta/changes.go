package delta

import (
	"iter"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
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
	complete bool
	lacking  string // why it is not complete
	facts    *facts
}

// facts are what a ledger's changes have in common.
type facts struct {
	Schemas Schemas
	Writes  OwnWrites
	KindOf  func(Object) (schema.GroupVersionKind, error)
}

// NewChanges returns changes that are complete, at the first attempt. It is for those
// who test a reconciler; see [NewContext].
func NewChanges(list ...Change) Changes {
	for i := range list {
		list[i].Deltas = max(1, list[i].Deltas)
	}
	return Changes{list: list, attempt: 1, complete: true}
}

// Lacking returns c as it is where something is not known.
func (c Changes) Lacking(why string) Changes {
	c.complete, c.lacking = false, why
	return c
}

// Again returns c as it is told at a later attempt.
func (c Changes) Again(attempt int) Changes {
	c.attempt = attempt
	return c
}

// WithWrites returns c with somebody who knows the client's own writes, so that
// [Change.Own] can be tested.
func (c Changes) WithWrites(writes OwnWrites) Changes {
	known := facts{Writes: writes}
	if c.facts != nil {
		known.Schemas, known.KindOf = c.facts.Schemas, c.facts.KindOf
	}
	c.facts, c.list = &known, slices.Clone(c.list)
	for i := range c.list {
		c.list[i].facts = &known
	}
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

// Attempt is one more than how often the reconciler has failed since it last succeeded.
// It is zero where that is not known.
func (c Changes) Attempt() int { return c.attempt }

// Len is the number of changes.
func (c Changes) Len() int { return len(c.list) }

// All yields the changes, in the order in which each was first heard of.
func (c Changes) All() iter.Seq[Change] { return slices.Values(c.list) }

// Only reports whether nothing has happened but these: Only(delta.Sync) means that
// there has been a resync, and no more. It is false where the changes are not complete,
// and at a retry, since what is to be retried is not known from them.
func (c Changes) Only(ops ...Op) bool {
	if !c.complete || len(c.list) == 0 || c.attempt > 1 {
		return false
	}
	for i := range c.list {
		if !slices.Contains(ops, c.list[i].Op) {
			return false
		}
	}
	return true
}

// Has reports whether any change has this cause.
func (c Changes) Has(cause Cause) bool {
	return slices.ContainsFunc(c.list, func(change Change) bool { return change.Cause == cause })
}

// By returns the changes that have one of these causes.
func (c Changes) By(causes ...Cause) Changes {
	return c.where(func(change *Change) bool { return slices.Contains(causes, change.Cause) })
}

// Of returns the changes of objects of the same kind as the example:
// Of(&appsv1.Deployment{}). How the objects are represented does not matter.
func (c Changes) Of(example Object) Changes {
	same := sameType(example)
	if c.facts != nil && c.facts.KindOf != nil {
		if kind, err := c.facts.KindOf(example); err == nil {
			same = func(change *Change) bool { return change.Kind == kind }
		}
	}
	return c.where(same)
}

// sameType compares as well as can be done without a scheme.
func sameType(example Object) func(*Change) bool {
	kind, of := example.GetObjectKind().GroupVersionKind(), reflect.TypeOf(example)
	return func(change *Change) bool {
		if !kind.Empty() && !change.Kind.Empty() {
			return change.Kind == kind
		}
		return change.Object() != nil && reflect.TypeOf(change.Object()) == of
	}
}

func (c Changes) where(chosen func(*Change) bool) Changes {
	all := c.list
	c.list = nil
	for i := range all {
		if chosen(&all[i]) {
			c.list = append(c.list, all[i])
		}
	}
	return c
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
