package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/internal/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// modelByKey pops the model queue one key at a time. It gives no versions to the
// queue: a consumer by key has nothing to do with a version that comes alone.
type modelByKey struct {
	modelFIFO
	owed map[delta.Key]int // deltas up to the end of the first list, not yet released
}

// keys returns the keys that are pending, that of the oldest delta first.
func (m *modelByKey) keys() []delta.Key {
	keys := []delta.Key{}
	for _, d := range m.pending {
		if !slices.Contains(keys, d.Key) {
			keys = append(keys, d.Key)
		}
	}
	return keys
}

func (m *modelByKey) of(key delta.Key) (deltas []delta.Delta[cell]) {
	for _, d := range m.pending {
		if d.Key == key {
			deltas = append(deltas, d)
		}
	}
	return deltas
}

func (m *modelByKey) pop() {
	key := m.pending[0].Key
	m.out = m.of(key)
	m.pending = slices.DeleteFunc(m.pending, func(d delta.Delta[cell]) bool { return d.Key == key })
}

func (m *modelByKey) replace(list []cell, r reflector.Replacement) {
	first := !m.listed
	m.modelFIFO.replace(list, r)
	if !first {
		return
	}
	m.owed = map[delta.Key]int{}
	for _, d := range slices.Concat(m.out, m.pending) {
		m.owed[d.Key]++
	}
}

func (m *modelByKey) release() {
	for _, d := range m.out {
		m.store.apply(d)
		if m.owed[d.Key]--; m.owed[d.Key] <= 0 {
			delete(m.owed, d.Key)
		}
	}
	m.out = nil
	m.synced = m.listed && len(m.owed) == 0
}

// byKeyScript is one random script: what the two are told, and who holds a batch.
type byKeyScript struct {
	t       *testing.T
	rng     *rand.Rand
	model   *modelByKey
	fifo    *DeltaFIFO[cell]
	names   []string
	version int
	holding bool
}

// TestFIFOByKeyModel is TestFIFOModel for a consumer that takes one key at a time
// and gives some of them back. Bursts make the pile long enough to be compacted
// while it is being taken apart.
func TestFIFOByKeyModel(t *testing.T) {
	seeds.Each(t, usualSeeds, func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 7))
		model := &modelByKey{modelFIFO: modelFIFO{store: cells{}}, owed: map[delta.Key]int{}}
		s := &byKeyScript{t: t, rng: rng, model: model}
		s.fifo = NewDeltaFIFO(FIFOOptions[cell]{Traits: cellTraits, Known: storeOf(&model.modelFIFO)})
		for i := range 3 + rng.IntN(40) {
			s.names = append(s.names, fmt.Sprintf("%c/%d", 'a'+i%3, i))
		}
		for range 150 {
			s.step()
			s.compare()
		}
		s.finish()
	})
}

func (s *byKeyScript) step() {
	switch action := s.rng.IntN(100); {
	case action < 25:
		s.push()
	case action < 27:
		for range 100 {
			s.push()
		}
	case action < 33:
		s.replace()
	case action < 38:
		key := s.key()
		s.model.sync([]delta.Key{key})
		s.fifo.sync([]delta.Key{key}, timetable.Everyone, nil)
	case s.holding:
		s.holding = false
		s.model.release()
		s.fifo.Release()
	case s.fifo.Len() > 0:
		s.pop()
	}
}

func (s *byKeyScript) name() string { return s.names[s.rng.IntN(len(s.names))] }

func (s *byKeyScript) key() delta.Key { return delta.ParseKey(s.name()) }

func (s *byKeyScript) push() {
	s.version++
	op, c := delta.Op(1+s.rng.IntN(3)), cell{name: s.name(), version: s.version}
	s.model.push(op, c)
	if err := s.fifo.Push(delta.Delta[cell]{Op: op, New: c}, ""); err != nil {
		s.t.Fatal(err)
	}
}

// replace lists most of what is known, some of it changed, and something new.
func (s *byKeyScript) replace() {
	var list []cell
	known := s.model.known()
	for _, name := range s.names {
		c, there := known[delta.ParseKey(name)]
		switch choice := s.rng.IntN(10); {
		case choice < 6 && there:
			list = append(list, c)
		case choice > 7:
			s.version++
			list = append(list, cell{name: name, version: s.version})
		}
	}
	r := reflector.Replacement{NewHistory: s.rng.IntN(5) == 0}
	s.model.replace(list, r)
	if err := s.fifo.Replace(list, r); err != nil {
		s.t.Fatal(err)
	}
}

func (s *byKeyScript) pop() {
	s.holding = true
	s.model.pop()
	batch, err := s.fifo.PopKey(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	var got []delta.Delta[cell]
	for d := range batch.Deltas() {
		got = append(got, brief(d))
	}
	if !slices.Equal(got, s.model.out) {
		s.t.Fatalf("popped\n%v, want\n%v", got, s.model.out)
	}
}

func (s *byKeyScript) compare() {
	if got, want := s.fifo.Keys(), s.model.keys(); !slices.Equal(got, want) {
		s.t.Fatalf("pending are the keys\n%v, want\n%v", got, want)
	}
	if got, want := s.fifo.Len(), len(s.model.pending); got != want {
		s.t.Fatalf("%d deltas are pending, want %d", got, want)
	}
	key := s.key()
	var got []delta.Delta[cell]
	for _, d := range s.fifo.Pending(key) {
		got = append(got, brief(d))
	}
	if want := s.model.of(key); !slices.Equal(got, want) {
		s.t.Fatalf("pending for %s are\n%v, want\n%v", key, got, want)
	}
	if got, want := s.fifo.HasSynced(), s.model.synced; got != want {
		s.t.Fatalf("HasSynced() = %v, want %v", got, want)
	}
}

// finish empties the closed queue.
func (s *byKeyScript) finish() {
	if s.holding {
		s.model.release()
		s.fifo.Release()
	}
	s.fifo.Close()
	for len(s.model.pending) > 0 {
		s.pop()
		s.model.release()
		s.fifo.Release()
		s.compare()
	}
	if _, err := s.fifo.PopKey(context.Background()); !errors.Is(err, ErrClosed) {
		s.t.Errorf("pop of the closed and empty queue returns %v, want %v", err, ErrClosed)
	}
}
