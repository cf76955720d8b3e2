package engine

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// modelScope is a scope without cleverness. It has synced when the batch that was
// popped after its first list has been released.
type modelScope struct {
	inlet                   *Inlet[cell]
	reach                   reach
	founding                bool
	listed, popped, synced  bool
	heard, out, visible     int
	degraded, gone, removed bool // gone: shut; removed: and its objects have left the store
}

func (s *modelScope) has(name string) bool {
	return s.reach.has(delta.ParseKey(name).Namespace)
}

// scopeScript drives a queue with scopes and its model.
type scopeScript struct {
	modelFIFO
	t       *testing.T
	rng     *rand.Rand
	fifo    *DeltaFIFO[cell]
	real    *store.Store[cell]
	scopes  []*modelScope // one for each of the reaches
	late    []*Inlet[cell]
	version int
	moved   bool // a version is pending
	entries int  // controls that are pending
	busy    bool

	synced, settled, founded bool
}

var scopeReaches = []reach{{namespace: "a"}, {namespace: "b"}, {except: []string{"a", "b"}}}

var scopeNames = []string{"a/x", "a/y", "b/x", "b/y", "c/x", "c/y", "z"}

// TestFIFOScopesModel drives the queue through scopes that come and go, against a
// model: what a batch has, which version it brings the store to, and which scopes
// can be read. Between two batches other calls go on, which is where the layers matter.
func TestFIFOScopesModel(t *testing.T) {
	seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
		s := &scopeScript{t: t, rng: rng, modelFIFO: modelFIFO{store: cells{}}, real: store.New(cellTraits, nil)}
		s.fifo = NewDeltaFIFO(&Options[cell]{Traits: cellTraits}, s.real)
		s.scopes = make([]*modelScope, len(scopeReaches))
		for i := range s.scopes {
			s.scopes[i] = &modelScope{gone: true, removed: true}
			if s.rng.IntN(3) > 0 {
				s.open(i)
			}
		}
		s.fifo.found()
		s.founded = true
		s.settle()
		for range 120 {
			s.step()
			s.check()
		}
	})
}

func (s *scopeScript) step() {
	i := s.rng.IntN(len(s.scopes))
	scope := s.scopes[i]
	switch action := s.rng.IntN(20); {
	case action < 7:
		s.push(scope)
	case action < 9:
		s.replace(scope)
	case action < 10:
		s.bookmark(scope)
	case action < 11:
		keys := []delta.Key{delta.ParseKey(scopeNames[s.rng.IntN(len(scopeNames))])}
		s.modelFIFO.sync(keys)
		s.fifo.sync(keys, nil, nil)
	case action < 12:
		s.openOrShut(i)
	case action < 13 && !scope.gone:
		scope.inlet.degraded()
		scope.degraded = true
		s.settle()
	case action < 14 && len(s.late) > 0:
		s.pushLate(s.late[s.rng.IntN(len(s.late))])
	case s.busy:
		s.releaseBatch()
	default:
		s.popBatch()
	}
}

func (s *scopeScript) open(i int) {
	in := s.fifo.Open(scopeReaches[i].namespace, scopeReaches[i].except, nil)
	s.scopes[i] = &modelScope{inlet: in, reach: scopeReaches[i], founding: !s.founded}
}

func (s *scopeScript) openOrShut(i int) {
	scope := s.scopes[i]
	switch {
	case scope.removed:
		s.open(i)
	case !scope.gone:
		scope.inlet.shut()
		s.late = append(s.late, scope.inlet)
		scope.gone = true
		s.pending = slices.DeleteFunc(s.pending, func(d delta.Delta[cell]) bool { return scope.reach.has(d.Key.Namespace) })
		s.fifo.control(control{})
		s.entries++
		s.settle()
	}
}

func (s *scopeScript) push(scope *modelScope) {
	if scope.gone {
		return
	}
	s.version++
	c := cell{name: scopeNames[s.rng.IntN(len(scopeNames))], version: s.version}
	op := delta.Op(1 + s.rng.IntN(3))
	if scope.has(c.name) {
		s.modelFIFO.push(op, c)
	}
	scope.heard, s.moved = s.version, true
	if err := scope.inlet.Push(delta.Delta[cell]{Op: op, New: c, Version: strconv.Itoa(s.version)}, strconv.Itoa(s.version)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scopeScript) bookmark(scope *modelScope) {
	if scope.gone {
		return
	}
	s.version++
	scope.heard, s.moved = s.version, true
	if err := scope.inlet.Bookmark(strconv.Itoa(s.version)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scopeScript) replace(scope *modelScope) {
	if scope.gone {
		return
	}
	list, r := s.randomList()
	within := slices.DeleteFunc(slices.Clone(list), func(c cell) bool { return !scope.has(c.name) })
	s.listed = scope.listed
	s.modelFIFO.replace(scope.reach, within, r)
	scope.heard, s.moved, scope.listed = s.version, true, true
	if err := scope.inlet.Replace(list, r); err != nil {
		s.t.Fatal(err)
	}
	s.settle()
}

// randomList lists some of what is known, some of it changed, and something new.
func (s *scopeScript) randomList() (list []cell, r reflector.Replacement) {
	known := s.known()
	for _, name := range scopeNames {
		key := delta.ParseKey(name)
		c, there := known[key]
		switch choice := s.rng.IntN(6); {
		case choice < 3:
			s.version++
			list = append(list, cell{name: name, version: s.version})
		case choice < 5 && there:
			list = append(list, c)
		case choice == 5 && s.rng.IntN(3) == 0:
			r.Refused = append(r.Refused, key)
		}
	}
	if len(list) > 0 && s.rng.IntN(4) == 0 { // some server shows one twice
		again := list[s.rng.IntN(len(list))]
		again.version -= s.rng.IntN(2)
		list = append(list, again)
	}
	if s.rng.IntN(2) == 0 { // servers list in order, but nothing may depend on it
		s.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	s.version++
	r.Keys = keysOf(s.t, cellTraits.Key, list)
	r.NewHistory, r.Version = s.rng.IntN(5) == 0, strconv.Itoa(s.version)
	return list, r
}

func (s *scopeScript) pushLate(in *Inlet[cell]) {
	c := cell{name: scopeNames[s.rng.IntN(len(scopeNames))], version: 1_000_000}
	if err := in.Push(delta.Delta[cell]{Op: delta.Added, New: c, Version: "1000000"}, "1000000"); err != nil {
		s.t.Fatal(err)
	}
	if err := in.Replace([]cell{c}, reflector.Replacement{Version: "1000000", Keys: []delta.Key{delta.ParseKey(c.name)}}); err != nil {
		s.t.Fatal(err)
	}
	if err := in.Bookmark("1000000"); err != nil {
		s.t.Fatal(err)
	}
}

// lowest is the union's version by the model.
func (s *scopeScript) lowest(version func(*modelScope) int) string {
	lowest := 0
	for _, scope := range s.scopes {
		if v := version(scope); !scope.gone && v != 0 && (lowest == 0 || v < lowest) {
			lowest = v
		}
	}
	if lowest == 0 {
		return ""
	}
	return strconv.Itoa(lowest)
}

func (s *scopeScript) popBatch() {
	batch, ok := s.fifo.Next()
	if want := s.moved || s.entries > 0 || len(s.pending) > 0; ok != want {
		s.t.Fatalf("something to pop: %t, want %t", ok, want)
	}
	if !ok {
		return
	}
	s.modelFIFO.pop()
	for _, scope := range s.scopes {
		scope.out, scope.popped = scope.heard, scope.listed
	}
	want := ""
	if s.moved {
		want = s.lowest(func(m *modelScope) int { return m.out })
	}
	if batch.version != want {
		s.t.Fatalf("the batch brings the store to version %q, want %q", batch.version, want)
	}
	var got []delta.Delta[cell]
	for d := range batch.Deltas() {
		got = append(got, brief(d))
	}
	if !slices.Equal(got, s.out) {
		s.t.Fatalf("popped\n%v, want\n%v", got, s.out)
	}
	s.moved, s.busy = false, true
	if len(batch.controls) != s.entries {
		s.t.Fatalf("%d control entries, want %d", len(batch.controls), s.entries)
	}
	for _, scope := range s.scopes {
		scope.removed = scope.removed || scope.gone && s.entries > 0
	}
	s.entries = 0
}

func (s *scopeScript) releaseBatch() {
	s.fifo.shown()
	for _, scope := range s.scopes {
		if scope.popped && !scope.gone && !scope.inlet.isSynced.Load() {
			s.t.Fatalf("%s may not be read when subscribers are told of it", scope.reach)
		}
	}
	s.modelFIFO.release()
	for _, scope := range s.scopes {
		scope.visible = scope.out
		scope.synced = scope.synced || scope.popped && !scope.gone
		if scope.gone && scope.removed {
			for key := range s.store {
				if scope.reach.has(key.Namespace) && scope.inlet != nil {
					delete(s.store, key)
				}
			}
		}
	}
	txn := s.real.Begin(len(s.store))
	for key, c := range s.store {
		txn.Put(key, c)
	}
	for key := range txn.Untouched() {
		txn.Remove(key)
	}
	txn.Commit("")
	s.fifo.release()
	s.busy = false
	s.settle()
}

// settle is where the queue looks whether it has synced.
func (s *scopeScript) settle() {
	synced, settled := true, true
	for _, scope := range s.scopes {
		if scope.founding && !scope.gone {
			synced = synced && scope.synced
			settled = settled && (scope.synced || scope.degraded)
		}
	}
	s.synced, s.settled = s.synced || synced, s.settled || settled
}

func (s *scopeScript) check() {
	s.t.Helper()
	if got := isClosed(s.fifo.synced); got != s.synced {
		s.t.Fatalf("synced: %t, want %t", got, s.synced)
	}
	if got := isClosed(s.fifo.settled); got != s.settled {
		s.t.Fatalf("settled: %t, want %t", got, s.settled)
	}
	if got := s.fifo.Len(); got != len(s.pending) {
		s.t.Fatalf("%d deltas pending, want %d", got, len(s.pending))
	}
	if got, want := s.fifo.visibleVersion(), s.lowest(func(m *modelScope) int { return m.visible }); got != want {
		s.t.Fatalf("readers see version %q, want %q", got, want)
	}
	for _, scope := range s.scopes {
		if scope.gone {
			continue
		}
		if got := scope.inlet.isSynced.Load(); got != scope.synced || isClosed(scope.inlet.synced) != got {
			s.t.Fatalf("%s has synced: %t, want %t", scope.reach, got, scope.synced)
		}
	}
}
