package builder

import (
	"context"
	"strings"
	"time"

	"github.com/go-logr/logr"

	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// longestCauses bounds the text of a line of the cause log, in bytes.
const longestCauses = 2000

// logCauses writes the line that [TypedBuilder.WithCauseLog] asks for.
func (r *recordedReconciler[R]) logCauses(ctx context.Context, seen *seenCall[R], took time.Duration) {
	if r.causeLog == nil {
		return
	}
	changes, came := seen.told, seen.came
	level := *r.causeLog
	if isRoutine(changes) && came == journal.Success {
		level++
	}
	log := logr.FromContextOrDiscard(ctx).V(level)
	if !log.Enabled() {
		return
	}
	values := []any{"because", causesOf(changes), "result", came.String(), "took", took.Round(time.Microsecond).String()}
	if changes.Attempt() > 1 {
		values = append(values, "attempt", changes.Attempt())
	}
	if !changes.Complete() {
		values = append(values, "incomplete", changes.Incomplete())
	}
	var steps []string
	for _, step := range delta.Steps(ctx) {
		steps = append(steps, step.Name+" "+journal.StepResult(&step))
	}
	if len(steps) > 0 {
		values = append(values, "steps", steps)
	}
	log.Info("Reconciled", values...)
}

// isRoutine reports whether nothing has happened that the call is for.
func isRoutine(changes delta.Changes) bool {
	for c := range changes.All() {
		if c.Cause != delta.Resync && c.Cause != delta.Relist && c.Cause != delta.Restart && c.Cause != delta.Timer {
			return false
		}
	}
	return changes.Len() > 0
}

// causesOf describes the changes, those of the object itself with the fields that differ.
func causesOf(changes delta.Changes) string {
	var b strings.Builder
	for _, c := range journal.NewFirst(changes) {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.String())
		if journal.Again(&c) {
			b.WriteString(" (told again)")
		}
		if c.Op == delta.Updated && !c.Is(delta.Resync) {
			b.WriteString(" (" + c.Diff().String() + ")")
		}
		if b.Len() > longestCauses {
			return path.Cut(b.String(), longestCauses)
		}
	}
	if b.Len() == 0 {
		return "nothing known"
	}
	return b.String()
}
