package answers

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

const (
	// mostText is how many bytes of JSON an answer has of edits, and mostRest how many of all else: together less
	// than an inspector sends, because the names that were asked for and a few words are not counted.
	mostText = 1 << 19
	mostRest = inspector.LongestAnswer - mostText - 64<<10
	// perPart is for a comma after each part, and for a few words that are added to it later.
	perPart = 64
	// longestError and longestText are how much is shown of an error, and of a policy or the name of a field.
	longestError, longestText = 4 << 10, 1 << 10
	// mostTime is how long an answer compares objects, and half of how long it takes to put together.
	mostTime = 500 * time.Millisecond
)

// telling is one answer: the names in it, and what it may still cost. One change of a shared object may
// be told to hundreds of requests, and an answer has hundreds of calls. So an answer compares two states
// once. When it has taken long enough, or is long enough, it leaves out the rest, and says so.
type telling struct {
	names
	operator *Operator
	compared map[states]edits
	text     int // bytes that are left for edits
	rest     int // and for all else
	until    time.Time
}

// states are two of one object. They are compared by their addresses: objects of a cache do not change.
type states struct{ before, after delta.Object }

// edits are what changed between two states, and whether there is more.
type edits struct {
	all  []v1.Edit
	more bool
	size int
}

// telling begins an answer.
func (o *Operator) telling() *telling {
	return &telling{
		names: namesOf(o.kinds()), operator: o, compared: map[states]edits{}, text: mostText, rest: mostRest, until: time.Now().Add(mostTime),
	}
}

// fits takes the room for a part of the answer, and reports false if there is none.
func (t *telling) fits(part any) bool {
	size := sizeOf(part)
	if size > t.rest || time.Now().After(t.until.Add(mostTime)) {
		return false
	}
	t.rest -= size
	return true
}

// sizeOf is how many bytes a part takes as JSON.
func sizeOf(part any) int {
	text, err := json.Marshal(part)
	if err != nil {
		return math.MaxInt
	}
	return len(text) + perPart
}

// share returns whether one more part of an entry fits. All of them take no more than one of so many shares of the room that is
// left, so that an entry with thousands does not hide those that come after it.
func (t *telling) share(of int) (fits func(part any) bool) {
	least := t.rest - t.rest/of
	return func(part any) bool { return t.rest > least && t.fits(part) }
}

// fitting returns those of all that have room, and why these are not all.
func fitting[T any](t *telling, all []T) (shown []T, why string) {
	for i := range all {
		if t.fits(&all[i]) {
			shown = append(shown, all[i])
		}
	}
	return shown, cut(len(shown), len(all))
}

// noRoom says that an answer is cut. Lists begin with the newest or most urgent.
const noRoom = "the answer has room for no more. Ask with a smaller limit, or for one kind, controller, namespace or name."

// cut says that so many of all are shown, if these are not all.
func cut(shown, all int) string {
	if shown == all {
		return ""
	}
	return fmt.Sprintf("%d of %d are shown: %s", shown, all, noRoom)
}

// errorText is what is shown of an error.
func errorText(err error) string { return path.Ends(err.Error(), longestError) }

// edits returns what changed between two states, as far as the answer has room for it.
func (t *telling) edits(of states, compare func() *diff.Diff) (all []v1.Edit, more bool) {
	known, done := t.compared[of]
	if !done {
		if t.text == 0 || time.Now().After(t.until) {
			return nil, true
		}
		known.all, known.more = editsOf(compare())
		known.size = sizeOf(known.all)
		t.compared[of] = known
	}
	if known.size > t.text {
		t.text = 0 // to compare more would cost time, and show next to nothing
		return nil, true
	}
	t.text -= known.size
	return known.all, known.more
}
