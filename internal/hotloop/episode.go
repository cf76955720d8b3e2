package hotloop

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Pattern is why a request is called to no end.
type Pattern uint8

const (
	_ Pattern = iota
	// Fight is two managers that undo each other's writes.
	Fight
	// OwnWrites is a controller that is called by what it writes itself.
	OwnWrites
)

var patternNames = [...]string{"", "Fight", "OwnWrites"}

// String is the constant's name.
func (p Pattern) String() string { return patternNames[p] }

// Verdict is what a call means for its request.
type Verdict uint8

const (
	_ Verdict = iota
	// Calm means that there is nothing to say.
	Calm
	// Found means that this call has shown a new Episode. It is said once.
	Found
	// Continues means that an Episode is under way.
	Continues
	// Over means that the request was quiet for so long that its last Episode is over.
	Over
)

// Episode is a time in which a request was called to no end. It has no values, because they
// could be secret.
type Episode[R comparable] struct {
	Request R
	Pattern Pattern
	// Kind and Key say which object is written again and again.
	Kind schema.GroupVersionKind
	Key  delta.Key
	// Paths are the fields that are written, in order.
	Paths []string
	// Managers are the two who fight, in order, or the controller's own; empty if it is not known.
	Managers []string
	// Began is when the first round began, Last when the last ended.
	Began time.Time
	Last  time.Time
	// Ended is when it was over. It is zero while it is under way.
	Ended time.Time
	// Rounds is how many rounds there were: both have written, or the controller was called.
	Rounds int

	found int // the rounds when it was found
}

// How long a request is held back.
const (
	shortest = time.Second
	longest  = 5 * time.Minute
)

// Defer says how long a request should be held back because of an episode that is under way: a
// second when it is found, and twice as long for each further round, up to five minutes.
func Defer[R comparable](e Episode[R]) time.Duration {
	wait := shortest
	for range e.Rounds - e.found {
		if wait *= 2; wait >= longest {
			return longest
		}
	}
	return wait
}

// episode is an Episode under way.
type episode[R comparable] struct {
	Episode[R]

	object  objectID
	pair    [2]string
	returns int // undoings, or calls
	looks   int // calls that have shown them
	told    bool
}

// count adds returns to it.
func (e *episode[R]) count(returns int, last time.Time) {
	e.returns += returns
	e.Last = last
	e.Rounds = e.returns
	if e.Pattern == Fight { // the first undoing ends the first round, and is half of the second
		e.Rounds = (e.returns + 2) / 2
	}
}

// quiet is how long it goes on after the last return. A mean round is as long as it looks from
// here: if each call shows several rounds, they are one.
func (e *episode[R]) quiet() time.Duration {
	mean := e.Last.Sub(e.Began) / time.Duration(max(1, min(e.Rounds, e.looks)-1))
	return max(time.Minute, 3*mean)
}
