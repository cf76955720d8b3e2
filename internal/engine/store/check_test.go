package store

import (
	"fmt"
	"slices"
)

// check compares the store's structure with what can be worked out from its
// versions. It must be called between transactions, with no reader about.
func (s *Store[T]) check() error {
	s.pins.mu.Lock()
	defer s.pins.mu.Unlock()
	now := s.state.Load()
	members := map[*posting[T]]map[*entry[T]]bool{}
	live, count := 0, 0
	for e := range s.entries.slots.Load().all() {
		live++
		if v, _ := s.find(e.hash, e.key()); v != e.head.Load() {
			return fmt.Errorf("%s is not found by its key", e.key())
		}
		if p := s.namespaces.find(e.key().Namespace); p == nil || !p.holds(e) {
			return fmt.Errorf("%s is not in its namespace", e.key())
		}
		if !e.head.Load().gone() {
			count++
		}
		if err := s.checkChain(e, now, members); err != nil {
			return fmt.Errorf("%s: %w", e.key(), err)
		}
	}
	if live != s.entries.live || count != now.count {
		return fmt.Errorf("%d entries counted as %d, %d objects counted as %d", live, s.entries.live, count, now.count)
	}
	inNamespaces := 0
	for p := range s.namespaces.all() {
		inNamespaces += int(p.live.Load())
	}
	if inNamespaces != live {
		return fmt.Errorf("%d entries, %d of them in namespaces", live, inNamespaces)
	}
	return s.checkPostings(members)
}

// checkChain looks at every version of e: in order, needed, and filed as its
// object says.
func (s *Store[T]) checkChain(e *entry[T], now *state, members map[*posting[T]]map[*entry[T]]bool) error {
	until := now.seq + 1
	for v := e.head.Load(); v != nil; v = v.prev.Load() {
		if v.seq() >= until {
			return fmt.Errorf("version %d is followed by %d", until, v.seq())
		}
		needed := v.seq() <= now.seq && now.seq < until
		for _, p := range s.pins.list {
			needed = needed || p.refs > 0 && v.seq() <= p.at.seq && p.at.seq < until
		}
		if !needed {
			return fmt.Errorf("version %d is kept for nobody", v.seq())
		}
		until = v.seq()
		if v.gone() {
			if v == e.head.Load() && v.prev.Load() == nil {
				return fmt.Errorf("nothing but a removal is left")
			}
			continue
		}
		wanted, _ := s.wants(nil, s.catalog.Load().all, v.key(), v.obj)
		if !v.in.Load().filesAs(wanted) {
			return fmt.Errorf("version %d is filed other than its object wants", v.seq())
		}
		for _, w := range wanted {
			p := w.in.find(w.value)
			if p == nil || !v.in.Load().has(p) {
				return fmt.Errorf("version %d is not filed in %q=%q", v.seq(), w.in.name, w.value)
			}
			if members[p] == nil {
				members[p] = map[*entry[T]]bool{}
			}
			members[p][e] = true
		}
	}
	return nil
}

// filesAs reports whether f is exactly what is wanted.
func (f *filing[T]) filesAs(wanted []want[T]) bool {
	if f == nil {
		return len(wanted) == 0
	}
	return slices.EqualFunc(f.postings, wanted, func(p *posting[T], w want[T]) bool {
		return p.of == w.in && p.value == w.value
	})
}

// checkPostings compares the postings with the entries that belong there.
func (s *Store[T]) checkPostings(members map[*posting[T]]map[*entry[T]]bool) (err error) {
	for _, x := range s.catalog.Load().all {
		for p := range x.all() {
			found, stale := 0, 0
			for i := range p.entries() {
				switch e := p.entries()[i].Load(); {
				case e == nil || e == x.vacant:
				case !members[p][e]:
					err = fmt.Errorf("%s is still in %q=%q", e.key(), x.name, p.value)
				default:
					found++
					if !e.head.Load().in.Load().has(p) {
						stale++
					}
				}
			}
			if err == nil && stale != int(p.stale.Load()) {
				err = fmt.Errorf("%q=%q has %d stale entries counted as %d", x.name, p.value, stale, p.stale.Load())
			}
			if err == nil && (found != len(members[p]) || found != int(p.live.Load()) || found == 0) {
				err = fmt.Errorf("%q=%q has %d entries counted as %d, want %d", x.name, p.value, found, p.live.Load(), len(members[p]))
			}
		}
	}
	return err
}

func sorted[S ~[]E, E any](s S, compare func(a, b E) int) S {
	s = slices.Clone(s)
	slices.SortFunc(s, compare)
	return s
}
