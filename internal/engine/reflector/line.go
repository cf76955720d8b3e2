package reflector

import (
	"errors"
	"net"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// Line is what Reflectors of one server tell one another: that it is there again. Otherwise those that have waited
// longest would learn it last. A nil Line tells nobody.
type Line struct {
	mu   lock.Mutex[lock.Line] // guards back
	back chan struct{}         // closed and replaced when somebody hears the server again; nil before anybody waits
}

// restored returns a channel that is closed when somebody hears the server again.
func (l *Line) restored() <-chan struct{} {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.back == nil {
		l.back = make(chan struct{})
	}
	return l.back
}

// hears wakes those that wait.
func (l *Line) hears() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.back != nil {
		close(l.back)
		l.back = nil
	}
}

// waitsForServer reports whether a wait after err depends on the server being there at all, and on nothing of this
// kind alone.
func waitsForServer(err error) bool {
	var network net.Error
	return isAway(err) || errors.As(err, &network) || errors.Is(err, ErrNoAnswer)
}
