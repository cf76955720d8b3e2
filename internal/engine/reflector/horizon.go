package reflector

import (
	"maps"
	"slices"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// Horizon knows how far the Reflectors of one kind have seen. A server may answer a first list from a
// memory that lags behind. So a list that begins where others have been is asked to be no older.
//
// The zero value is ready. A nil *Horizon has seen nothing.
type Horizon struct {
	mu    lock.Mutex[lock.Horizon] // guards everything below
	last  uint64
	those map[uint64]func() string // the versions of those that run
	left  string                   // the newest version of those that have ended
}

// enter notes somebody who tells how far it has seen. The caller calls leave when it ends.
func (h *Horizon) enter(version func() string) (leave func()) {
	if h == nil {
		return func() {}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.those == nil {
		h.those = map[uint64]func() string{}
	}
	h.last++
	number := h.last
	h.those[number] = version
	return func() {
		seen := version()
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.those, number)
		h.left = later(h.left, seen)
	}
}

// listFrom is the version to ask for in a first list: "0", which is anything, if nobody has seen
// anything. It is empty, which is the newest, if nobody knows what is newer.
func (h *Horizon) listFrom() string {
	if h == nil {
		return "0"
	}
	h.mu.Lock()
	newest, those := h.left, slices.Collect(maps.Values(h.those))
	h.mu.Unlock()
	for _, version := range those {
		newest = later(newest, version())
	}
	if newest == "" {
		return "0"
	}
	if _, number := VersionNumber(newest); !number {
		return ""
	}
	return newest
}

// later returns the later of two versions. One that is not a number counts as later than all:
// nobody knows.
func later(a, b string) string {
	_, aIsNumber := VersionNumber(a)
	switch {
	case a == "", b != "" && aIsNumber && !Older(b, a):
		return b
	default:
		return a
	}
}
