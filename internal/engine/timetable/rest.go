package timetable

import (
	"slices"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// When a policy changes, the keys that a run had yet to show go on by the new one, each once. Where that is due at once, the
// rest is in it; where all is shown at once, so is the rest, at the new rate; where it is spread, the rest is laid out evenly
// until the next tick. Keys that only the new policy chooses are shown from the next tick on.

// Arrange returns those of the keys that the tick is to show, in the order in which
// to show them.
func (t *Tick) Arrange(keys []delta.Key) []delta.Key {
	if t.rest != nil {
		left := make(map[delta.Key]struct{}, len(t.rest))
		for _, key := range t.rest {
			left[key] = struct{}{}
		}
		keys = slices.DeleteFunc(keys, func(key delta.Key) bool {
			_, found := left[key]
			return !found
		})
	}
	sortByTurn(t.Policy, keys)
	return keys
}

// addRest adds keys to those that are left, which it does not change. The first are
// the very same for all who leave a run together.
func addRest(rest, keys []delta.Key) []delta.Key {
	if rest == nil {
		return keys
	}
	return slices.Concat(rest, keys)
}

// stillDue reports whether a tick that keys were gathered for is to begin for a subscriber. If it has other policies
// by now, these go on with the keys.
func (r *Timetable) stillDue(subscriber uint32, tick *Tick, keys []delta.Key) bool {
	first := r.subscribers[subscriber]
	if first == nil || tick.demand {
		return first != nil
	}
	for l := first; l != nil; l = l.more {
		if Same(l.policy, tick.Policy) {
			return true
		}
	}
	for l := first; l != nil; l = l.more {
		if l.policy.Period > 0 && len(keys) > 0 {
			l.rest = addRest(l.rest, keys)
		}
	}
	return false
}

// Waiting reports whether there is something for due to begin that no time is
// waited for.
func (r *Timetable) Waiting() bool {
	for number, l := range r.subscribers {
		if len(l.wanted) > 0 && r.demanded(number) < MaxRuns {
			return true
		}
		for ; l != nil; l = l.more {
			if l.rest != nil {
				return true
			}
		}
	}
	return false
}
