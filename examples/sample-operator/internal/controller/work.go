package controller

import (
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// work is one reconcile of one Site.
type work struct {
	*SiteReconciler
	site    *webv1alpha1.Site
	changes delta.Changes

	wrote   []string // which children
	created int      // how many of them did not exist
}

// tell records an Event on the Site.
func (w *work) tell(how, reason, format string, args ...any) {
	w.Events.Eventf(w.site, how, reason, format, args...)
}

// tellOfChildren records which children were written, and why. If none was, it records
// nothing.
func (w *work) tellOfChildren() {
	switch {
	case len(w.wrote) == 0:
	case w.created == len(w.wrote) && w.site.Status.LastChange == nil:
		w.tell(corev1.EventTypeNormal, "Created", "Created %s", strings.Join(w.wrote, ", "))
	default:
		w.tell(corev1.EventTypeNormal, "Updated", "Wrote %s because of %s", strings.Join(w.wrote, ", "), because(w.changes))
	}
}

// tellable is the longest text that an Event or the status may have.
const tellable = 1000

// because describes in words why this reconcile was called: the changes, and the fields of
// the Site that changed. For other objects it names no fields: their managedFields show
// those.
func because(changes delta.Changes) string {
	var words []string
	for change := range changes.All() {
		text := change.String()
		if change.Cause == delta.Primary && change.Op == delta.Updated {
			text += " (" + inWords(change.Diff()) + ")"
		}
		words = append(words, text)
	}
	if !changes.Complete() {
		words = append(words, "incomplete: "+changes.Incomplete())
	}
	return cut(strings.Join(words, ", "), tellable/2)
}

// inWords leaves the generation out of a diff: it changes with every other edit of the spec.
func inWords(diff *diff.Diff) string {
	if diff.Err() != nil {
		return diff.String()
	}
	var words []string
	for edit := range diff.Edits() {
		if edit.Path != "metadata.generation" {
			words = append(words, edit.String())
		}
	}
	return strings.Join(words, ", ")
}

// cut shortens a text to a number of bytes. It does not cut a letter in two.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit - len("…")
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
