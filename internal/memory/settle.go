package memory

import (
	"context"
	"maps"
	"time"
)

// settle waits until the controllers have been told what was restored, or will not be.
func (m *Memory) settle(ctx context.Context) bool {
	for m.awaitsLedgers() && time.Since(m.began) < recallFor {
		if !sleep(ctx, lookAgain) {
			return false
		}
	}
	return true
}

// forgetRecalled lets go of the states with which the kinds have begun.
func (m *Memory) forgetRecalled() {
	m.mu.Lock()
	kinds := maps.Clone(m.kinds)
	m.mu.Unlock()
	for _, k := range kinds {
		k.ForgetRecalled()
	}
}

// awaitsLedgers reports whether a restored ledger has not begun yet.
func (m *Memory) awaitsLedgers() bool {
	m.mu.Lock()
	loaded := m.loaded
	ledgers := maps.Clone(m.ledgers)
	m.mu.Unlock()
	if loaded == nil {
		return false
	}
	for name := range loaded.Ledgers {
		if l := ledgers[name]; l == nil || !l.Ready() {
			return true
		}
	}
	return false
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
