package source

import (
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/event"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/predicate"
)

// opinion is what a predicate says of an event.
type opinion struct {
	says verdict
	firm bool // the predicate decides on events like this one
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

// ofResync asks a single predicate about an object that a resync shows.
func ofResync[O any](p ctrlpredicate.TypedPredicate[O], e event.TypedUpdateEvent[O], terms delta.ResyncTerms) opinion {
	if p, ok := p.(predicate.OnResync[O]); ok {
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

// ofRelisted asks a single predicate about an update that a relist showed.
func ofRelisted[O any](p ctrlpredicate.TypedPredicate[O], e event.TypedUpdateEvent[O]) opinion {
	if p.Update(e) {
		return opinion{says: yes}
	}
	if p, ok := p.(predicate.OnRelist[O]); ok && p.Relisted(e) {
		return opinion{says: unsaid}
	}
	return opinion{says: no}
}

// ask has one answer for each single predicate, and combines what they say. It sees through controller-runtime's
// And, Or and Not. Their parts are private, and nobody else knows them. If controller-runtime ever builds them
// otherwise, a combined predicate counts as a single one that says nothing of resyncs.
func ask[O any](p ctrlpredicate.TypedPredicate[O], one func(ctrlpredicate.TypedPredicate[O]) opinion) opinion {
	switch reflect.TypeOf(p) {
	case reflect.TypeOf(ctrlpredicate.And[O]()):
		if parts, ok := onlyField[[]ctrlpredicate.TypedPredicate[O]](p); ok {
			return askUntil(no, parts, one)
		}
	case reflect.TypeOf(ctrlpredicate.Or[O]()):
		if parts, ok := onlyField[[]ctrlpredicate.TypedPredicate[O]](p); ok {
			return askUntil(yes, parts, one)
		}
	case reflect.TypeOf(ctrlpredicate.Not[O](nil)):
		if part, ok := onlyField[ctrlpredicate.TypedPredicate[O]](p); ok {
			o := ask(part, one)
			o.says = -o.says
			return o
		}
	}
	return one(p)
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

// askUntil asks one after the other until one says what decides. If none does, the opposite is
// true. If some said nothing and none decides on such events, nothing is said.
func askUntil[O any](decides verdict, parts []ctrlpredicate.TypedPredicate[O], one func(ctrlpredicate.TypedPredicate[O]) opinion) opinion {
	sum := opinion{says: -decides}
	for _, p := range parts {
		o := ask(p, one)
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
