package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
)

// past has what the scrape before has seen of counters and histograms. A series may be the sum over
// several caches, controllers or subscribers. When one of them ends, the sum falls, and Prometheus
// would take that for a new process and count all of the rest once more. So what is gone stays in
// the sum for as long as the series is there. Past keeps only the series of the last scrape.
type past map[sampleKey]*mark

// mark is how far a series was.
type mark struct {
	value   float64
	reading *reflector.Reading // of a histogram
	lost    *mark              // what is gone; nil if nothing is
}

// next adds to the series what is gone of them, and returns the past of the next scrape.
func (p past) next(now samples) past {
	next := past{}
	for key, s := range now {
		if s.of.buckets == nil && s.of.kind != prometheus.CounterValue {
			continue
		}
		m := &mark{value: s.value}
		if s.of.buckets != nil {
			m.reading = new(s.reading)
		}
		if before := p[key]; before != nil {
			m.lost = before.lost
			m.miss(before)
		}
		if m.lost != nil {
			s.value += m.lost.value
			s.reading.Add(m.lost.reading)
		}
		next[key] = m
	}
	return next
}

// miss notes by how much the series has fallen.
func (m *mark) miss(before *mark) {
	lost := mark{value: max(0, before.value-m.value), reading: &reflector.Reading{}}
	if m.reading != nil {
		*lost.reading = before.reading.Beyond(m.reading)
	}
	if lost.value == 0 && *lost.reading == (reflector.Reading{}) {
		return
	}
	if m.lost != nil {
		lost.value += m.lost.value
		lost.reading.Add(m.lost.reading)
	}
	m.lost = &lost
}
