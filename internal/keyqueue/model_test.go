package keyqueue

import (
	"cmp"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// model does what the schedule does, as plainly as possible. It is a list of keys, and each
// call searches the list from end to end.
type model struct {
	merge  Merge
	ageing queue.Ageing
	fifo   bool // a first-in, first-out Order, without priorities
	now    time.Duration
	keys   []*modelKey
	clock  int // the number of the latest event
	turns  int
	aged   uint64
}

type modelKey struct {
	key int

	queued   bool
	placed   int // when it got its place in its lane; 0: it has none
	priority int
	since    time.Duration

	timed         bool
	timerSet      int
	timerPriority int
	due           time.Duration

	working bool
	started time.Duration
}

func (m *model) of(key int) *modelKey {
	for _, k := range m.keys {
		if k.key == key {
			return k
		}
	}
	k := &modelKey{key: key}
	m.keys = append(m.keys, k)
	return k
}

func (m *model) tick() int {
	m.clock++
	return m.clock
}

func (m *model) add(key int, o queue.AddOptions) {
	k := m.of(key)
	switch {
	case o.After <= 0 && m.merge == OnePerKey && k.timed:
		k.timed = false
		m.queue(k, max(o.Priority, k.timerPriority))
	case o.After <= 0, m.merge == OnePerKey && k.queued:
		m.queue(k, o.Priority)
	case k.timed:
		k.timerPriority = max(k.timerPriority, o.Priority)
		k.due = min(k.due, m.now+o.After)
	default:
		k.timed, k.timerSet = true, m.tick()
		k.timerPriority, k.due = o.Priority, m.now+o.After
	}
}

func (m *model) queue(k *modelKey, priority int) {
	switch {
	case k.queued && !m.fifo && priority > k.priority:
		k.priority = priority
		if k.placed != 0 {
			k.placed = m.tick()
		}
	case !k.queued:
		k.queued, k.priority, k.since, k.placed = true, priority, m.now, 0
		if !k.working || m.merge == OnePerKey {
			k.placed = m.tick()
		}
	}
}

func (m *model) cancel(key int) bool {
	k := m.of(key)
	had := k.timed
	k.timed = false
	return had
}

func (m *model) replace(key int, o queue.AddOptions) bool {
	had := m.cancel(key)
	m.add(key, o)
	return had
}

func (m *model) promote() {
	for _, k := range m.byTime() {
		if k.due <= m.now {
			k.timed = false
			m.queue(k, k.timerPriority)
		}
	}
}

// byTime returns the keys with a timer, the soonest first.
func (m *model) byTime() (timed []*modelKey) {
	for _, k := range m.keys {
		if k.timed {
			timed = append(timed, k)
		}
	}
	slices.SortFunc(timed, func(a, b *modelKey) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.timerSet, b.timerSet))
	})
	return timed
}

func (m *model) take() (*modelKey, bool) {
	m.promote()
	var fronts []*modelKey // of each lane
	for _, k := range m.keys {
		if !k.queued || k.placed == 0 || k.working {
			continue
		}
		lane := slices.IndexFunc(fronts, func(f *modelKey) bool { return m.fifo || f.priority == k.priority })
		switch {
		case lane < 0:
			fronts = append(fronts, k)
		case k.placed < fronts[lane].placed:
			fronts[lane] = k
		}
	}
	if len(fronts) == 0 {
		return nil, false
	}
	next := slices.MaxFunc(fronts, func(a, b *modelKey) int { return cmp.Compare(a.priority, b.priority) })
	m.turns++
	if m.turns == m.ageing.Every {
		m.turns = 0
		old := slices.MinFunc(fronts, func(a, b *modelKey) int {
			return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.priority, b.priority))
		})
		if m.ageing.Patience >= 0 && m.now-old.since > m.ageing.Patience {
			if next != old {
				m.aged++
			}
			next = old
		}
	}
	next.queued, next.placed = false, 0
	next.working, next.started = true, m.now
	return next, true
}

func (m *model) done(key int) {
	k := m.of(key)
	if !k.working {
		return
	}
	k.working = false
	if k.queued && k.placed == 0 {
		k.placed = m.tick()
	}
}

// counts are the numbers that the queue shows.
type counts struct {
	depth                        map[int]int
	len, waiting, working        int
	nextDue, unfinished, longest time.Duration
	timers                       []int // the keys that have nothing but a timer, the soonest first
}

func (m *model) counts() counts {
	c := counts{depth: map[int]int{}, nextDue: never}
	for _, k := range m.keys {
		if k.queued {
			c.depth[k.priority]++
			if m.merge == OnePerKey || k.placed != 0 && !k.working {
				c.len++
			}
		}
		if k.timed {
			c.waiting++
			c.nextDue = min(c.nextDue, k.due)
		}
		if k.working {
			c.working++
			c.unfinished += m.now - k.started
			c.longest = max(c.longest, m.now-k.started)
		}
	}
	for _, k := range m.byTime() {
		if !k.queued && !k.working {
			c.timers = append(c.timers, k.key)
		}
	}
	return c
}
