package answers

import (
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

const (
	// mostText is how many bytes of edits an answer has.
	mostText = 2 << 20
	// mostTime is how long an answer compares objects.
	mostTime = 500 * time.Millisecond
)

// telling is one answer: the names in it, and what it may still cost. One change of a shared object may
// be told to hundreds of requests, and an answer has hundreds of calls. So an answer compares two states
// once. When it has taken long enough, it leaves out what has changed, and says so.
type telling struct {
	names
	compared map[states]edits
	text     int // bytes that are left
	until    time.Time
}

// states are two of one object. They are compared by their addresses: objects of a cache do not change.
type states struct{ before, after delta.Object }

// edits are what changed between two states, and whether there is more.
type edits struct {
	all  []v1.Edit
	more bool
}

// telling begins an answer.
func (o *Operator) telling() *telling { return tellingWith(o.names()) }

func tellingWith(n names) *telling {
	return &telling{names: n, compared: map[states]edits{}, text: mostText, until: time.Now().Add(mostTime)}
}

// edits returns what changed between two states, as far as the answer has room for it.
func (t *telling) edits(of states, compare func() *diff.Diff) (all []v1.Edit, more bool) {
	known, done := t.compared[of]
	if !done {
		if t.text <= 0 || time.Now().After(t.until) {
			return nil, true
		}
		known.all, known.more = editsOf(compare())
		t.compared[of] = known
	}
	for i := range known.all {
		t.text -= len(known.all[i].Path) + len(known.all[i].Before) + len(known.all[i].After)
	}
	if t.text < 0 {
		return nil, true
	}
	return known.all, known.more
}
