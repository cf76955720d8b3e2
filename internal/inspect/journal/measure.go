package journal

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/delta-runtime/delta-runtime/internal/inspect/footprint"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// pause is how long Run rests after a pass.
const pause = time.Second

// Run measures what there is, at most once a second and only if there is something new, and
// drops the oldest until the rest is within the limit. It returns when ctx ends. Only one
// goroutine may be in it.
func (j *Journal) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-j.wake:
		}
		j.measure()
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// load is what one entry holds.
type load struct {
	id       uint64
	own      int64 // beside its objects
	old, new any
	changes  delta.Changes
}

// These are taken by an entry beside its objects: its place in the ring, and an estimate for its
// strings and times.
const (
	entryBytes  = int64(unsafe.Sizeof(Entry{})) + 32
	callBytes   = int64(unsafe.Sizeof(Call{})) + 128
	changeBytes = int64(unsafe.Sizeof(delta.Change{}))
	stepBytes   = int64(unsafe.Sizeof(delta.StepReport{}))
)

// scale knows what objects weigh that it has measured before.
type scale struct {
	pass  uint64
	sum   int64 // of what the last pass kept
	known map[unsafe.Pointer]measured
}

type measured struct {
	bytes int64
	pass  uint64 // the last in which it counted
}

// object returns what an object adds to a pass: nothing, if it has counted.
func (s *scale) object(obj any) int64 {
	if obj == nil {
		return 0
	}
	v := reflect.ValueOf(obj)
	if k := v.Kind(); k != reflect.Pointer && k != reflect.Map || v.IsNil() {
		return footprint.Of(obj) // it has no identity
	}
	m, ok := s.known[v.UnsafePointer()]
	switch {
	case !ok:
		m.bytes = footprint.Of(obj)
	case m.pass == s.pass:
		return 0
	}
	m.pass = s.pass
	s.known[v.UnsafePointer()] = m
	return m.bytes
}

// add returns what an entry adds to a pass.
func (s *scale) add(l *load) int64 {
	sum := l.own + s.object(l.new) + s.object(l.old)
	for change := range l.changes.All() {
		for step := range marker.Unfold(change) {
			sum += s.object(step.New) + s.object(step.Old)
		}
	}
	return sum
}

// end forgets what did not count in this pass, because nobody has it any more.
func (s *scale) end() {
	for p, m := range s.known {
		if m.pass != s.pass {
			delete(s.known, p)
		}
	}
}

// measure is one pass over each class. It adds the entries up from the newest to the oldest, until the limit is
// reached, and drops the rest. A state that entries of both classes show counts for both.
func (j *Journal) measure() {
	books := j.books()
	for of := range classes {
		var loads []load
		for _, b := range books {
			loads = b.loads(of, loads)
		}
		slices.SortFunc(loads, func(a, b load) int { return cmp.Compare(b.id, a.id) })
		s := &j.shares[of]
		kept := s.scale.weigh(loads, s.bytes)
		if kept > 0 {
			s.average.Store(max(1, s.scale.sum/int64(kept)))
		}
		if kept == len(loads) {
			continue
		}
		for _, b := range books {
			b.dropTo(of, loads[kept].id)
		}
	}
}

// weigh returns how many of the loads are within the limit.
func (s *scale) weigh(loads []load, limit int64) (kept int) {
	if s.known == nil {
		s.known = map[unsafe.Pointer]measured{}
	}
	s.pass++
	s.sum = 0
	defer s.end()
	for i := range loads {
		bytes := s.add(&loads[i])
		if s.sum+bytes > limit {
			return i
		}
		s.sum += bytes
	}
	return len(loads)
}
