package journal

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/inspect/footprint"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// record is what the model knows of one thing that was noted.
type record struct {
	id          uint64
	book        string // "kind a", "controller b"
	class       class
	entry       *Entry // or
	call        *Call
	fresh, gone bool
	before      []*chase // those that began when it was gone
}

// model is a list of everything.
type model struct {
	limits  Limits
	all     []*record
	last    uint64
	average [classes]int64
	bytes   int64
}

func (m *model) note(r *record, most int) {
	m.last++
	r.id, r.fresh = m.last, true
	m.all = append(m.all, r)
	if r.class == shown {
		most = max(1, most/8)
	}
	left := 0
	for _, other := range slices.Backward(m.all) {
		if other.book == r.book && other.class == r.class && !other.gone {
			if left++; left > most {
				other.gone = true
			}
		}
	}
}

// share is how many bytes the entries of a class may hold.
func (m *model) share(of class) int64 {
	eighth := m.limits.Bytes / 8
	if of == shown {
		return eighth
	}
	return m.limits.Bytes - eighth
}

// noted is after each batch.
func (m *model) noted(of class) {
	if m.average[of] == 0 {
		return
	}
	most := int(m.share(of) / m.average[of])
	fresh := 0
	for _, r := range m.all {
		if r.fresh && !r.gone && r.class == of {
			fresh++
		}
	}
	if fresh <= most {
		return
	}
	for _, r := range m.all {
		r.gone = r.gone || r.class == of && r.id+uint64(most/2) <= m.last
	}
}

func (m *model) measure() {
	m.bytes = 0
	for of := range classes {
		m.bytes += m.measureAll(of)
	}
}

func (m *model) measureAll(of class) (sum int64) {
	seen := map[any]bool{}
	weigh := func(obj any) int64 {
		if obj == nil || seen[obj] {
			return 0
		}
		seen[obj] = true
		return footprint.Of(obj)
	}
	full, count := false, int64(0)
	for _, r := range slices.Backward(m.all) {
		if r.class != of {
			continue
		}
		if r.fresh = false; r.gone {
			continue
		}
		var bytes int64
		if r.entry != nil {
			bytes = entryBytes + weigh(r.entry.Delta.New) + weigh(r.entry.Delta.Old)
		} else {
			bytes = callBytes + changeBytes*int64(r.call.Changes.Len()) + stepBytes*int64(len(r.call.Steps))
			for c := range r.call.Changes.All() {
				bytes += weigh(c.New) + weigh(c.Old)
			}
		}
		if full = full || sum+bytes > m.share(of); full {
			r.gone = true
			continue
		}
		sum += bytes
		count++
	}
	if count > 0 {
		m.average[of] = max(1, sum/count)
	}
	return sum
}

// find returns the numbers of what is there and wanted, newest first.
func (m *model) find(limit int, want func(*record) bool) (ids []uint64) {
	for _, r := range slices.Backward(m.all) {
		if !r.gone && want(r) && (limit == 0 || len(ids) < limit) {
			ids = append(ids, r.id)
		}
	}
	return ids
}

var podKind = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}

// script plays random steps against a journal and its model.
type script struct {
	*testing.T

	rng     *rand.Rand
	journal *Journal
	model   *model
	states  map[delta.Key]*corev1.Pod
}

func (s *script) pick(of ...string) string { return of[s.rng.IntN(len(of))] }

func (s *script) op() delta.Op {
	return []delta.Op{0, delta.Added, delta.Updated, delta.Sync}[s.rng.IntN(4)]
}

func (s *script) key() delta.Key {
	return delta.Key{Namespace: s.pick("red", "blue"), Name: s.pick("a", "b", "c")}
}

// next makes a delta of an object whose Old is what the one before had as New.
func (s *script) next() delta.Delta[any] {
	key := s.key()
	before := s.states[key]
	if before != nil && s.rng.IntN(3) == 0 {
		return delta.Delta[any]{Key: key, Op: delta.Sync, Old: before, New: before}
	}
	after := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: key.Namespace, Name: key.Name, UID: "u", Annotations: map[string]string{"text": fmt.Sprintf("%*d", s.rng.IntN(3000), 1)},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: s.pick("kubectl", "hpa"), Operation: "Update", Time: &metav1.Time{}}},
	}}
	after.ManagedFields[0].Time.Time = after.ManagedFields[0].Time.AddDate(s.rng.IntN(2000), 0, 0)
	s.states[key] = after
	d := delta.Delta[any]{Key: key, Op: delta.Added, New: after, Initial: s.rng.IntN(6) == 0}
	if before != nil {
		d.Op, d.Old = delta.Updated, before
	}
	return d
}

func (s *script) noteDeltas() {
	kind := s.pick("a", "b", "c")
	deltas := s.journal.Kind(kind, podKind)
	deltas.Begin()
	var kept []class
	for range s.rng.IntN(6) {
		d := s.next()
		deltas.Add(&d)
		if d.Initial {
			continue
		}
		of := changed
		if d.Op == delta.Sync {
			of = shown
		}
		kept = append(kept, of)
		s.model.note(&record{book: "kind " + kind, class: of, entry: &Entry{Kind: kind, Delta: d}}, s.model.limits.Deltas)
	}
	deltas.End()
	for _, of := range kept {
		s.model.noted(of)
	}
}

func (s *script) noteCall() {
	d := s.next()
	change := delta.Change{Cause: delta.Primary, Kind: podKind, Key: d.Key, Op: d.Op, New: d.New.(delta.Object)}
	change.Old, _ = d.Old.(delta.Object)
	c := Call{Request: s.key(), Result: Result(1 + s.rng.IntN(4)), Changes: delta.NewChanges(change), Steps: make([]delta.StepReport, s.rng.IntN(3))}
	controller := s.pick("x", "y")
	s.journal.Controller(controller).Note(c)
	c.Controller = controller
	of := changed
	if d.Op == delta.Sync && (c.Result == Success || c.Result == Requeue) {
		of = shown
	}
	s.model.note(&record{book: "controller " + controller, class: of, call: &c}, s.model.limits.Calls)
	s.model.noted(of)
}

func (s *script) check() {
	want := Filter{
		Kind: s.pick("", "", "a", "b"), Namespace: s.pick("", "", "red"), Name: s.pick("", "", "a"),
		Op: s.op(), Manager: s.pick("", "", "kubectl"), Since: uint64(s.rng.Int64N(int64(s.model.last) + 1)), Limit: s.rng.IntN(10),
	}
	if s.rng.IntN(2) == 0 {
		want = Filter{}
	}
	deltas, gone := s.journal.Deltas(want)
	s.same("deltas", ids(deltas), s.model.find(want.Limit, func(r *record) bool {
		e := r.entry
		return e != nil && r.id > want.Since && cmp.Or(want.Kind, e.Kind) == e.Kind && cmp.Or(want.Namespace, e.Delta.Key.Namespace) == e.Delta.Key.Namespace &&
			cmp.Or(want.Name, e.Delta.Key.Name) == e.Delta.Key.Name && cmp.Or(want.Op, e.Delta.Op) == e.Delta.Op && cmp.Or(want.Manager, e.Manager()) == e.Manager()
	}))
	s.dropped("kind ", want.Kind, gone)
	calls := CallFilter{Controller: s.pick("", "x"), Namespace: s.pick("", "red"), Name: s.pick("", "a"), Result: Result(s.rng.IntN(5)), Since: want.Since, Limit: want.Limit}
	wanted := func(r *record) bool {
		c := r.call
		return c != nil && r.id > calls.Since && cmp.Or(calls.Controller, c.Controller) == c.Controller && cmp.Or(calls.Namespace, c.Request.Namespace) == c.Request.Namespace &&
			cmp.Or(calls.Name, c.Request.Name) == c.Request.Name && cmp.Or(calls.Result, c.Result) == c.Result
	}
	found, gone := s.journal.Calls(calls)
	s.same("calls", ids(found), s.model.find(calls.Limit, wanted))
	s.dropped("controller ", calls.Controller, gone)
	key := s.key()
	s.same("calls about an object", ids(s.journal.CallsAbout(podKind, key, []string{"y"}, calls)), s.model.find(calls.Limit, func(r *record) bool {
		if !wanted(r) {
			return false
		}
		if r.call.Controller == "y" && r.call.Request == key {
			return true
		}
		for c := range r.call.Changes.All() {
			return c.Key == key
		}
		return false
	}))
	last, ok := s.journal.LastCall("x", key)
	lastIDs := s.model.find(1, func(r *record) bool { return r.call != nil && r.call.Controller == "x" && r.call.Request == key })
	if ok != (len(lastIDs) == 1) || ok && last.ID != lastIDs[0] {
		s.Errorf("the last call of %s is %d, %t, and should be %v", key, last.ID, ok, lastIDs)
	}
	s.failing()
	s.status()
}

func (s *script) status() {
	left := len(s.model.find(0, func(*record) bool { return true }))
	if entries, bytes := kept(s.journal), weight(s.journal); s.journal.Newest() != s.model.last || entries != left || bytes != s.model.bytes {
		s.Errorf("there are %d entries with %d bytes, and should be %d of %d with %d bytes", entries, bytes, left, s.model.last, s.model.bytes)
	}
}

// dropped compares how many entries are gone of a book, or of all books if the name is empty.
func (s *script) dropped(what, name string, got uint64) {
	want := uint64(0)
	for _, r := range s.model.all {
		if r.gone && strings.HasPrefix(r.book, what) && strings.HasSuffix(r.book, name) {
			want++
		}
	}
	if got != want {
		s.Errorf("of %s%q %d entries are gone, and should be %d", what, name, got, want)
	}
}

func (s *script) same(what string, got, want []uint64) {
	if !slices.Equal(got, want) {
		s.Errorf("the %s are %v, and should be %v", what, got, want)
	}
}

func ids[E Entry | Call](all []E) (ids []uint64) {
	for i := range all {
		ids = append(ids, any(&all[i]).(interface{ number() uint64 }).number())
	}
	return ids
}

func TestJournalAgainstModel(t *testing.T) {
	seeds.Run(t, 100, func(t *testing.T, rng *rand.Rand) {
		limits := Limits{Deltas: 1 + rng.IntN(20), Calls: 1 + rng.IntN(12), Bytes: int64(1000 + rng.IntN(100_000))}
		s := &script{
			T: t, rng: rng, journal: New(limits), states: map[delta.Key]*corev1.Pod{},
			model: &model{limits: limits},
		}
		for range 60 {
			switch rng.IntN(5) {
			case 0, 1, 2:
				s.noteDeltas()
			case 3:
				s.noteCall()
			default:
				s.journal.measure()
				s.model.measure()
			}
			if s.check(); t.Failed() {
				return
			}
		}
	})
}
