//go:build !race

package builder_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// state is the hash of all that the future depends on.
type state [2]uint64

// state writes down the world. Two worlds of the same state go on alike.
func (p *play) state() state {
	s := &scribe{seen: map[uintptr]int{}, names: map[uintptr]string{}}
	for f, all := range p.objects {
		for i, obj := range all {
			s.names[reflect.ValueOf(obj).Pointer()] = fmt.Sprint("object ", f, i)
		}
	}
	fmt.Fprintln(&s.text, p.server, p.failures, p.relists, p.resyncs, p.worker.at, p.answer)
	for _, f := range slices.Sorted(maps.Keys(p.stores)) {
		store := p.stores[f]
		fmt.Fprintln(&s.text, f, store.log, store.head, store.relists, store.listing)
	}
	for _, w := range p.watches {
		fmt.Fprintln(&s.text, w.next, w.begun, w.thread.at, w.to)
		if w.thread.about != nil {
			fmt.Fprintln(&s.text, *w.thread.about)
		}
	}
	j := p.judge
	fmt.Fprintln(&s.text, j.owed, j.before, j.shown, j.reads, j.lowest, j.last, j.known, j.fails)
	for _, e := range p.inner.Contents(10) {
		fmt.Fprintln(&s.text, e.Key, e.Priority, e.Queued.IsZero(), e.Due.IsZero(), e.Working.IsZero())
	}
	s.write(reflect.ValueOf(p.ledger))
	for _, k := range p.kept {
		fmt.Fprintln(&s.text, k.happening)
		s.write(deliveryOf(reflect.ValueOf(k.queue)))
	}
	sum := sha256.Sum256([]byte(s.text.String()))
	return state{binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])}
}

// scribe writes down what a ledger holds, whatever that is, except times and hashes, which
// differ from world to world.
type scribe struct {
	text  strings.Builder
	names map[uintptr]string // of objects
	seen  map[uintptr]int    // what has been written down already
}

// skipped are types that say nothing of what will happen.
var skipped = []string{"sync.", "time.Time", "maphash.Seed", "atomic.", "delta.facts", "delta.pathChecks", "delta.stepCounts", "delta.callSteps"}

func (s *scribe) write(v reflect.Value) {
	if !v.IsValid() {
		s.text.WriteString("nil;")
		return
	}
	of := v.Type().String()
	if slices.ContainsFunc(skipped, func(prefix string) bool { return strings.HasPrefix(strings.TrimPrefix(of, "*"), prefix) }) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		s.pointer(v)
	case reflect.Interface:
		s.write(v.Elem())
	case reflect.Struct:
		s.text.WriteString(of + "{")
		for i := range v.NumField() {
			s.write(v.Field(i))
		}
		s.text.WriteString("}")
	case reflect.Slice, reflect.Array:
		fmt.Fprint(&s.text, v.Len(), "[")
		for i := range v.Len() {
			s.write(v.Index(i))
		}
		s.text.WriteString("]")
	case reflect.Map:
		fmt.Fprint(&s.text, v.Len(), "(")
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, key := range keys {
			s.write(key)
			s.write(v.MapIndex(key))
		}
		s.text.WriteString(")")
	case reflect.Func:
		fmt.Fprint(&s.text, v.IsNil(), ";")
	case reflect.Int64, reflect.Int, reflect.Int32:
		s.number(uint64(max(v.Int(), -v.Int()))) //nolint:gosec // not negative
	case reflect.Uint64:
		s.number(v.Uint())
	default:
		fmt.Fprint(&s.text, v, ";")
	}
}

// number writes small numbers. Large ones are hashes and times.
func (s *scribe) number(n uint64) {
	if n > 1<<40 {
		s.text.WriteString("#;")
		return
	}
	fmt.Fprint(&s.text, n, ";")
}

func (s *scribe) pointer(v reflect.Value) {
	if v.IsNil() {
		s.text.WriteString("nil;")
		return
	}
	if name, ok := s.names[v.Pointer()]; ok {
		s.text.WriteString(name + ";")
		return
	}
	n, ok := s.seen[v.Pointer()]
	if !ok {
		n = len(s.seen)
		s.seen[v.Pointer()] = n
	}
	fmt.Fprint(&s.text, "^", n, ";")
	if !ok {
		s.write(v.Elem())
	}
}

// deliveryOf is what a queue that a handler was given adds for. Controller-runtime's handlers
// put a queue of their own around it.
func deliveryOf(queue reflect.Value) reflect.Value {
	for queue.Kind() == reflect.Pointer || queue.Kind() == reflect.Interface {
		queue = queue.Elem()
	}
	if because := queue.FieldByName("because"); because.IsValid() {
		return because.FieldByName("Delivery")
	}
	return deliveryOf(queue.Field(0))
}
