package answers

import (
	"encoding/json"
	"fmt"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// mostEdits is how many edits are shown of one update, and longestValue how many bytes of a value.
const (
	mostEdits    = 50
	longestValue = 400
)

// hiddenValue is what a difference has in place of a value of a Secret.
const hiddenValue = "(hidden)"

// editsOf returns the edits of a difference, and whether there are more.
func editsOf(d *diff.Diff) (edits []v1.Edit, more bool) {
	if d.Err() != nil {
		return nil, true
	}
	for e := range d.Edits() {
		if len(edits) == mostEdits {
			return edits, true
		}
		edits = append(edits, editOf(&e))
	}
	return edits, d.Truncated()
}

func editOf(e *diff.Edit) v1.Edit {
	shown := v1.Edit{Path: path.Cut(e.Path, longestText), Op: "changed"}
	switch {
	case e.Added:
		shown.Op = "added"
	case e.Removed:
		shown.Op = "removed"
	}
	if e.Before == hiddenValue || e.After == hiddenValue {
		shown.Hidden = true
		return shown
	}
	if !e.Added {
		shown.Before = compact(e.Before)
	}
	if !e.Removed {
		shown.After = compact(e.After)
	}
	return shown
}

// compact is a value as JSON, cut where it is long.
func compact(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("(%T)", value)
	}
	return path.Cut(string(text), longestValue)
}
