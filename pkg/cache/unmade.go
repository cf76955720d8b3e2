package cache

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
)

const (
	// wantedFor is how long a kind counts as wanted that could not be made. Sources ask again sooner.
	wantedFor = 30 * time.Second
	// promptly is how soon a server says what it serves, if all is well.
	promptly = 5 * time.Second
)

var errUnanswered = errors.New("the API server has not answered yet")

// unmade is why a kind could not be made.
type unmade struct {
	since, last time.Time // of the first attempt, and of the end of the last
	err         error
}

// noteUnmade notes that a kind has been made, or why not.
func (c *Cache) noteUnmade(k *kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, again := c.unmade[k.id]
	maps.DeleteFunc(c.unmade, func(id kindID, u unmade) bool { return id == k.id || time.Since(u.last) > wantedFor })
	if k.err == nil || errors.Is(k.err, errPanicked) {
		return
	}
	if !again {
		before.since = k.claimed
	}
	c.unmade[k.id] = unmade{before.since, time.Now(), k.err}
}

// Unmade returns the kinds that somebody asks for and that could not be made, or that the server is asked about for
// long. They are in order of their names.
func (c observed) Unmade() (all []observe.Unmade) {
	c.mu.Lock()
	found := maps.Clone(c.unmade)
	c.mu.Unlock()
	for id, k := range *c.kinds.Load() {
		switch before, again := found[id]; {
		case k.isMade():
			delete(found, id)
		case again:
			before.last = time.Now()
			found[id] = before
		case time.Since(k.claimed) > promptly:
			found[id] = unmade{k.claimed, time.Now(), errUnanswered}
		}
	}
	for id, u := range found {
		if time.Since(u.last) < wantedFor {
			all = append(all, observe.Unmade{GVK: id.gvk, Name: id.String(), Status: reflector.NotMade(id.String(), u.since, u.err)})
		}
	}
	slices.SortFunc(all, func(a, b observe.Unmade) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
