package metricsauth

import (
	"crypto/sha256"
	"net/http"
	"sync"
	"time"
)

const (
	// lasting is how long a client that was allowed to do something may go on while the API server can't
	// be asked. A token that is taken back in an outage is good for no longer.
	lasting = 15 * time.Minute
	// mostKnown is how many of them there are at most.
	mostKnown = 1000
)

// asked is what a client was allowed: with this token, by this method, this path.
type asked [sha256.Size]byte

// memory knows who was allowed what lately. It is used only while the API server does not answer:
// then people need the metrics, and what the inspector shows, more than at any other time.
type memory struct {
	mu      sync.Mutex // guards everything below
	allowed map[asked]time.Time
}

func newMemory() *memory { return &memory{allowed: map[asked]time.Time{}} }

func what(q *http.Request) asked {
	return sha256.Sum256([]byte(q.Method + " " + q.URL.Path + "\n" + q.Header.Get("Authorization")))
}

func (m *memory) add(q *http.Request, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.allowed) >= mostKnown {
		clear(m.allowed) // they are asked again
	}
	m.allowed[what(q)] = now
}

func (m *memory) forget(q *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.allowed, what(q))
}

func (m *memory) has(q *http.Request, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	since, there := m.allowed[what(q)]
	return there && now.Sub(since) < lasting
}
