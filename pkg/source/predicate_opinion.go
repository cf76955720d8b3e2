package source

import (
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// ResyncPredicate is a predicate that has a say in resyncs. [NotResync] is one.
//
// A resync that somebody asked for, by a policy or by name, passes what other predicates
// say of updates: in a resync nothing has changed, so whoever waits for a change would
// hold back all of it. They are asked whether they let the object pass at all: its update,
// or else its creation, as in a first list. So those that choose objects choose them in a
// resync as well.
//
// Where predicates are combined by controller-runtime's And, Or and Not, those that have
// no say in resyncs count for nothing beside those that have. A predicate that wraps
// another one in any other way has to have this method itself.
//
// A resync of controller-runtime's SyncPeriod is an update to all of them, and nobody is
// asked here; see [delta.ResyncTerms].
type ResyncPredicate[O any] interface {
	predicate.TypedPredicate[O]
	// Resync reports whether an object that a resync shows is to pass.
	Resync(object O, terms delta.ResyncTerms) bool
}

// RelistedPredicate is a predicate that can't judge an update by its two objects if a
// relist showed it: what was changed in between may have been changed back, and a
// reconciler may have read it. [ChangedAt] and [NotStatusOnly] are such. Informers of
// somebody else's don't say which updates these are.
type RelistedPredicate[O any] interface {
	predicate.TypedPredicate[O]
	// Relisted reports whether an update that a relist showed is to pass although Update
	// holds it back.
	Relisted(e event.TypedUpdateEvent[O]) bool
}

// notResync has a say in resyncs.
type notResync[O client.Object] struct{ predicate.TypedFuncs[O] }

// Resync passes none.
func (notResync[O]) Resync(O, delta.ResyncTerms) bool { return false }

// byContent judges updates by what differs.
type byContent[O client.Object] struct{ predicate.TypedPredicate[O] }

// Relisted passes all, since what differed in between is not known.
func (byContent[O]) Relisted(event.TypedUpdateEvent[O]) bool { return true }

// opinion is what a predicate says of an event.
type opinion struct {
	says verdict
	firm bool // the event is one that it has a say in
}

type verdict int8

const (
	no     verdict = -1
	unsaid verdict = 0
	yes    verdict = 1
)

func answered(passes bool) verdict {
	if passes {
		return yes
	}
	return no
}

// ofResync is what a single predicate says of an object that a resync shows.
func ofResync[O any](p predicate.TypedPredicate[O], e event.TypedUpdateEvent[O], terms delta.ResyncTerms) opinion {
	if p, ok := p.(ResyncPredicate[O]); ok {
		return opinion{says: answered(p.Resync(e.ObjectNew, terms)), firm: true}
	}
	switch {
	case p.Update(e):
		return opinion{says: yes}
	case p.Create(event.TypedCreateEvent[O]{Object: e.ObjectNew, IsInInitialList: true}):
		return opinion{says: unsaid}
	default:
		return opinion{says: no}
	}
}

// ofRelisted is what a single predicate says of an update that a relist showed.
func ofRelisted[O any](p predicate.TypedPredicate[O], e event.TypedUpdateEvent[O]) opinion {
	if p.Update(e) {
		return opinion{says: yes}
	}
	if p, ok := p.(RelistedPredicate[O]); ok && p.Relisted(e) {
		return opinion{says: unsaid}
	}
	return opinion{says: no}
}

// combined is a predicate as it was put together by controller-runtime's functions.
type combined[O any] struct {
	how    connective
	of     []combined[O]
	single predicate.TypedPredicate[O] // of a single one
}

type connective uint8

const (
	single connective = iota
	all
	either
	not
)

// takeApart sees through controller-runtime's And, Or and Not. Their parts are private,
// but only they know of which predicates a combined one consists. If they are ever built
// otherwise, a combined predicate counts as a single one that says nothing of resyncs.
func takeApart[O any](p predicate.TypedPredicate[O]) combined[O] {
	switch reflect.TypeOf(p) {
	case reflect.TypeOf(predicate.And[O]()):
		if parts, ok := onlyField[[]predicate.TypedPredicate[O]](p); ok {
			return combined[O]{how: all, of: takeAllApart(parts)}
		}
	case reflect.TypeOf(predicate.Or[O]()):
		if parts, ok := onlyField[[]predicate.TypedPredicate[O]](p); ok {
			return combined[O]{how: either, of: takeAllApart(parts)}
		}
	case reflect.TypeOf(predicate.Not[O](nil)):
		if part, ok := onlyField[predicate.TypedPredicate[O]](p); ok {
			return combined[O]{how: not, of: []combined[O]{takeApart(part)}}
		}
	}
	return combined[O]{single: p}
}

func takeAllApart[O any](parts []predicate.TypedPredicate[O]) []combined[O] {
	of := make([]combined[O], len(parts))
	for i, part := range parts {
		of[i] = takeApart(part)
	}
	return of
}

// onlyField returns the only field of a struct, if it is an F. It reads a copy.
func onlyField[F any](of any) (field F, ok bool) {
	v := reflect.New(reflect.TypeOf(of)).Elem()
	v.Set(reflect.ValueOf(of))
	if v.Kind() != reflect.Struct || v.NumField() != 1 || v.Field(0).Type() != reflect.TypeFor[F]() {
		return field, false
	}
	return *(*F)(v.Field(0).Addr().UnsafePointer()), true
}

// ask combines what the single predicates say. It asks no more of them than it needs.
func (c *combined[O]) ask(one func(predicate.TypedPredicate[O]) opinion) opinion {
	switch c.how {
	case not:
		o := c.of[0].ask(one)
		o.says = -o.says
		return o
	case all:
		return c.askUntil(no, one)
	case either:
		return c.askUntil(yes, one)
	default:
		return one(c.single)
	}
}

// askUntil asks one after the other until one says what decides. If none does, the
// opposite is true, unless some said nothing and nobody has a say.
func (c *combined[O]) askUntil(decides verdict, one func(predicate.TypedPredicate[O]) opinion) opinion {
	sum := opinion{says: -decides}
	for i := range c.of {
		o := c.of[i].ask(one)
		sum.firm = sum.firm || o.firm
		if o.says == decides {
			return opinion{says: decides, firm: sum.firm}
		}
		if o.says == unsaid {
			sum.says = unsaid
		}
	}
	if sum.firm {
		sum.says = -decides
	}
	return sum
}
