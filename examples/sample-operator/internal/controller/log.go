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

// cause is a change in the form that the log shows.
type cause struct {
	Change string   `json:"change"`
	Diff   []string `json:"diff,omitempty"`
	More   int      `json:"more,omitempty"` // edits that are not in Diff
}

// These limit a line of the log. The objects show the rest.
const (
	mostCauses = 20
	mostEdits  = 8
)

// tellLog logs what was done, with the changes that led to it. It computes no diffs if the
// log does not show them.
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
		if change.Op == delta.Updated { // the diff of an object that came or went is the whole object
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
