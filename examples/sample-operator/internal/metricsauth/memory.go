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
	// mostKnown is how many answers are remembered.
	mostKnown = 2000
)

// secret stands for a token, alone or with a method and a path.
type secret [sha256.Size]byte

// memory has the last good answers of the API server: who has a token, and what a client is allowed.
// While the server does not answer, people need the metrics and the inspector more than at any other
// time.
type memory struct {
	mu      sync.Mutex // guards everything below
	answers map[secret]answer
}

// answer is one of them.
type answer struct {
	user *authenticationv1.UserInfo // nil if it is about what a client is allowed
	at   time.Time
}

func who(q *http.Request) secret { return sha256.Sum256([]byte(q.Header.Get("Authorization"))) }

func what(q *http.Request) secret {
	return sha256.Sum256([]byte(q.Method + " " + q.URL.Path + "\n" + q.Header.Get("Authorization")))
}

// remember keeps an answer.
func (m *memory) remember(about secret, user *authenticationv1.UserInfo) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.answers) >= mostKnown {
		clear(m.answers) // they are asked for again
	}
	m.answers[about] = answer{user, time.Now()}
}

// recall returns the answer, if there was one lately.
func (m *memory) recall(about secret, lately time.Duration) (user *authenticationv1.UserInfo, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, known := m.answers[about]
	return found.user, known && time.Since(found.at) < lately
}

// forget forgets what is known of the client of a request, and that it may send such.
func (m *memory) forget(q *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.answers, what(q))
	delete(m.answers, who(q))
}
