package controller

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// work is one reconcile of one Site.
type work struct {
	*SiteReconciler
	site    *webv1alpha1.Site
	changes delta.Changes

	wrote   []string // which children
	created int      // how many of them did not exist
}

// tellOfChildren records an Event about which children were written, and why. If none was,
// it records nothing.
func (w *work) tellOfChildren() {
	switch wrote := strings.Join(w.wrote, ", "); {
	case wrote == "":
	case w.created == len(w.wrote) && w.site.Status.LastChange == nil:
		w.Events.Eventf(w.site, corev1.EventTypeNormal, "Created", "Created %s", wrote)
	default:
		w.Events.Eventf(w.site, corev1.EventTypeNormal, "Updated", "Wrote %s because of %s", wrote, because(w.changes))
	}
}

// because describes in words why this reconcile was called: the changes, and the fields of
// the Site that changed. For other objects it names no fields: their managedFields show
// those.
func because(changes delta.Changes) string {
	var words []string
	for change := range changes.All() {
		text := change.String()
		if change.Cause == delta.Primary && change.Op == delta.Updated {
			var edits []string
			for edit := range change.Diff().Edits() {
				if edit.Path != "metadata.generation" { // it changes with every other edit of the spec
					edits = append(edits, edit.String())
				}
			}
			text += " (" + strings.Join(edits, ", ") + ")"
		}
		words = append(words, text)
	}
	if !changes.Complete() {
		words = append(words, "incomplete: "+changes.Incomplete())
	}
	return cut(strings.Join(words, ", "), 500)
}

// cut shortens a text to a number of bytes, because the texts of Events and of the status are
// limited. It does not cut a letter in two.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-len("…")], "") + "…"
}

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

// tellLog logs what was done, with the changes that led to it. It computes no diffs if the
// log does not show them.
func tellLog(ctx context.Context, changes delta.Changes, d done, took time.Duration) {
	log := ctrl.LoggerFrom(ctx).V(1)
	if !log.Enabled() {
		return
	}
	var causes []cause
	for change := range changes.All() {
		c := cause{Change: change.String()}
		if change.Op == delta.Updated { // the diff of an object that came or went is the whole object
			for edit := range change.Diff().Edits() {
				if len(c.Diff) == 8 { // the objects show the rest
					c.More++
					continue
				}
				c.Diff = append(c.Diff, edit.String())
			}
		}
		causes = append(causes, c)
	}
	log.Info("Reconciled", "steps", d.steps, "wrote", d.wrote, "took", took.Round(100*time.Microsecond).String(),
		"because", changes.String(), "changes", causes, "incomplete", changes.Incomplete())
}
