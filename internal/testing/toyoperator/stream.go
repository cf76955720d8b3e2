package toyoperator

import (
	"github.com/delta-runtime/delta-runtime/internal/inspector"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// stream is a place in the journal.
type stream struct {
	o     *Operator
	ready chan struct{} // cap 1
	q     inspector.DeltaQuery
}

func (s *stream) ring() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

func (s *stream) Ready() <-chan struct{} { return s.ready }

func (s *stream) Take(most int) (deltas []v1.Delta, lost uint64) {
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	lost = s.lostLocked()
	for i := range s.o.deltas {
		if d := &s.o.deltas[i]; matches(s.q, d) {
			if deltas = append(deltas, *d); len(deltas) == most {
				break
			}
		}
	}
	if len(deltas) == most {
		s.q.Since = deltas[most-1].ID
	} else {
		s.q.Since = max(s.q.Since, s.o.told)
	}
	return deltas, lost
}

// lostLocked moves on to what there is, and returns how many deltas the stream has lost.
func (s *stream) lostLocked() (lost uint64) {
	oldest := s.o.oldestLocked()
	if s.q.Since+1 >= oldest {
		return 0
	}
	lost = oldest - s.q.Since - 1
	for i := range s.o.gone { // only of these it is known that they were not wanted
		if d := &s.o.gone[i]; d.ID > s.q.Since && !matches(s.q, d) {
			lost--
		}
	}
	s.q.Since = oldest - 1
	return lost
}

// oldestLocked is the ID of the oldest delta that there is, or of the next one.
func (o *Operator) oldestLocked() uint64 {
	if len(o.deltas) == 0 {
		return o.told + 1
	}
	return o.deltas[0].ID
}

func (s *stream) Close() {
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	delete(s.o.streams, s)
}

// Follow is of [inspector.Journal].
func (o *Operator) Follow(q inspector.DeltaQuery) inspector.Stream {
	o.mu.Lock()
	defer o.mu.Unlock()
	if q.Since == 0 {
		q.Since = o.oldestLocked() - 1
	}
	s := &stream{o: o, ready: make(chan struct{}, 1), q: q}
	o.streams[s] = true
	s.ring()
	return s
}

// Streams is how many streams are open.
func (o *Operator) Streams() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.streams)
}

// matches reports whether a delta is wanted.
func matches(q inspector.DeltaQuery, d *v1.Delta) bool {
	return d.ID > q.Since && fits(q.Kind, d.Kind) && fits(q.Namespace, d.Namespace) && fits(q.Name, d.Name) &&
		fits(q.Op, d.Op) && fits(q.Manager, d.Manager)
}

func fits(wanted, is string) bool { return wanted == "" || wanted == is }
