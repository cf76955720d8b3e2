package answers

import (
	"fmt"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspector"
	"github.com/delta-runtime/delta-runtime/internal/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

const (
	// mostText is how many bytes of edits an answer has, and mostRest how many of all else, by a rough
	// count: together less than an inspector sends.
	mostText, mostRest = 1 << 19, 5 << 18
	// perItem, perChange and perEdit are what each takes beside its texts.
	perItem, perChange, perEdit = 250, 200, 40
	// longestError is how much is shown of an error.
	longestError = 8 << 10
	// mostTime is how long an answer compares objects.
	mostTime = 500 * time.Millisecond
)

// telling is one answer: the names in it, and what it may still cost. One change of a shared object may
// be told to hundreds of requests, and an answer has hundreds of calls. So an answer compares two states
// once. When it has taken long enough, it leaves out what has changed, and says so. When it is long
// enough, it leaves out the rest.
type telling struct {
	names
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
}

// telling begins an answer.
func (o *Operator) telling() *telling { return tellingWith(o.names()) }

func tellingWith(n names) *telling {
	return &telling{names: n, compared: map[states]edits{}, text: mostText, rest: mostRest, until: time.Now().Add(mostTime)}
}

// spend counts bytes of the answer. It reports false if there is no room for them.
func (t *telling) spend(fixed int, texts ...string) bool {
	if t.rest <= 0 {
		return false
	}
	t.rest -= fixed
	for _, text := range texts {
		t.rest -= len(text)
	}
	return true
}

// cut says that so many of all are shown, if these are not all.
func cut(shown, all int) string {
	if shown == all {
		return ""
	}
	return fmt.Sprintf("%d of %d are shown: the answer has room for no more. %s", shown, all, inspector.AskForLess)
}

// errorText is what is shown of an error.
func errorText(err error) string { return path.Cut(err.Error(), longestError) }

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
		t.text -= perEdit + len(known.all[i].Path) + len(known.all[i].Before) + len(known.all[i].After)
	}
	if t.text < 0 {
		return nil, true
	}
	return known.all, known.more
}
