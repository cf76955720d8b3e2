package controller

import (
	"context"
	"fmt"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// done is what a reconcile did.
type done struct {
	steps string   // what it looked at
	wrote []string // which children
}

// cause is a change as the log has it.
type cause struct {
	Change string   `json:"change"`
	Diff   []string `json:"diff,omitempty"`
	More   int      `json:"more,omitempty"` // edits that are not in Diff
}

// A line of the log has at most so much. The objects have the rest.
const (
	mostCauses = 20
	mostEdits  = 8
)

// tellLog says what was done because of what. Nothing is compared if nobody listens.
func tellLog(ctx context.Context, changes delta.Changes, d done, took time.Duration) {
	log := ctrl.LoggerFrom(ctx).V(1)
	if !log.Enabled() {
		return
	}
	log.Info("Reconciled", "steps", d.steps, "wrote", d.wrote, "took", took.Round(100*time.Microsecond).String(),
		"because", changes.String(), "changes", causes(changes), "incomplete", changes.Incomplete())
}

func causes(changes delta.Changes) []cause {
	var shown []cause
	for change := range changes.All() {
		if len(shown) == mostCauses {
			return append(shown, cause{Change: fmt.Sprintf("and %d more", changes.Len()-mostCauses)})
		}
		c := cause{Change: change.String()}
		if change.Op == delta.Updated { // of what came or went the diff is all of it
			c.Diff, c.More = edits(change.Diff())
		}
		shown = append(shown, c)
	}
	return shown
}

func edits(diff *diff.Diff) (shown []string, more int) {
	for edit := range diff.Edits() {
		if len(shown) < mostEdits {
			shown = append(shown, edit.String())
		} else {
			more++
		}
	}
	return shown, more
}
