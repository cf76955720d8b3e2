package metricsauth

import (
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
)

const (
	// fresh is how long an answer of the API server is taken for granted. The inspector's page sends
	// some twenty requests when it opens.
	fresh = 10 * time.Second
	// lasting is how long a client that was allowed to do something may go on while the API server can't
	// be asked. A token that is taken back in an outage is good for no longer.
	lasting = 15 * time.Minute
	// mostKnown is how many answers of each sort are remembered.
	mostKnown = 1000
)

// secret stands for a token, alone or with a method and a path.
type secret [sha256.Size]byte

// memory knows who has which token, and who was allowed what lately. While the API server does
// not answer, people need the metrics and the inspector more than at any other time.
type memory struct {
	mu      sync.Mutex // guards everything below
	allowed map[secret]time.Time
	users   map[secret]met
}

// met is a user that the API server has named.
type met struct {
	user *authenticationv1.UserInfo
	at   time.Time
}

func newMemory() *memory {
	return &memory{allowed: map[secret]time.Time{}, users: map[secret]met{}}
}

func who(q *http.Request) secret { return sha256.Sum256([]byte(q.Header.Get("Authorization"))) }

func what(q *http.Request) secret {
	return sha256.Sum256([]byte(q.Method + " " + q.URL.Path + "\n" + q.Header.Get("Authorization")))
}

// allow remembers that a client may send such requests.
func (m *memory) allow(q *http.Request, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.allowed) >= mostKnown {
		clear(m.allowed) // they are asked for again
	}
	m.allowed[what(q)] = now
}

// allows reports whether a client was allowed to send such requests in the time before now.
func (m *memory) allows(q *http.Request, now time.Time, before time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	since, there := m.allowed[what(q)]
	return there && now.Sub(since) < before
}

// meet remembers who a client is.
func (m *memory) meet(q *http.Request, user *authenticationv1.UserInfo, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.users) >= mostKnown {
		clear(m.users)
	}
	m.users[who(q)] = met{user, now}
}

// user returns who a client is, and nil if that has to be asked.
func (m *memory) user(q *http.Request, now time.Time) *authenticationv1.UserInfo {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.users[who(q)]; now.Sub(known.at) < fresh {
		return known.user
	}
	return nil
}

// forget forgets that a client may send such requests, and who it is.
func (m *memory) forget(q *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.allowed, what(q))
	delete(m.users, who(q))
}
