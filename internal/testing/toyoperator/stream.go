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
	if len(s.o.deltas) > 0 && s.q.Since+1 < s.o.deltas[0].ID {
		lost = s.o.deltas[0].ID - s.q.Since - 1
		s.q.Since = s.o.deltas[0].ID - 1
	}
	for i := range s.o.deltas {
		if d := &s.o.deltas[i]; s.q.Matches(d) {
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

func (s *stream) Close() {
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	delete(s.o.streams, s)
}

// Follow is of [inspector.Journal].
func (o *Operator) Follow(q inspector.DeltaQuery) inspector.Stream {
	o.mu.Lock()
	defer o.mu.Unlock()
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
