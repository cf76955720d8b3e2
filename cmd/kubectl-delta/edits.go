package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// hiddenValue stands for what the inspector does not show.
const hiddenValue = "(hidden)"

func before(e *v1.Edit) string { return value(e.Before, e) }

func after(e *v1.Edit) string { return value(e.After, e) }

func value(text string, e *v1.Edit) string {
	if e.Hidden {
		return hiddenValue
	}
	return cmp.Or(text, "null")
}

// edited is what a delta or a change has edited.
type edited struct {
	edits   []v1.Edit
	leftOut bool // there are more
}

func editedBy(d *v1.Delta) edited { return edited{d.Edits, d.EditsLeftOut} }

// brief writes an edit in a line, as the README does.
func brief(e *v1.Edit) string {
	switch e.Op {
	case "added":
		return e.Path + ": added " + after(e)
	case "removed":
		return e.Path + ": removed " + before(e)
	default:
		return e.Path + ": " + before(e) + " → " + after(e)
	}
}

// showEdits writes an edit a line.
func (p *program) showEdits(indent string, of edited) {
	for i := range of.edits {
		p.out.Fit(show.Text(indent), show.Text(brief(&of.edits[i])))
	}
	if of.leftOut {
		p.out.Line(show.In(show.Faint, indent+"more edits are not shown"))
	}
}

// showDiff writes edits as a unified diff does: what was, and what is.
func (p *program) showDiff(of edited) {
	for i := range of.edits {
		e := &of.edits[i]
		if e.Hidden && e.Op != "added" && e.Op != "removed" {
			p.out.Line(show.In(show.Warning, "  "+e.Path+": "+hiddenValue+" → "+hiddenValue))
			continue
		}
		if e.Op != "added" {
			p.out.Line(show.In(show.Bad, "- "+e.Path+": "+before(e)))
		}
		if e.Op != "removed" {
			p.out.Line(show.In(show.Good, "+ "+e.Path+": "+after(e)))
		}
	}
	if of.leftOut {
		p.out.Line(show.In(show.Faint, "  more edits are not shown"))
	}
}

// paths names what changed, in few words.
func paths(of edited) string {
	var all []string
	for i := range of.edits {
		all = append(all, of.edits[i].Path)
	}
	if of.leftOut {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}

// remarks says what is unusual about a delta.
func remarks(d *v1.Delta) string {
	var all []string
	if d.Missed {
		all = append(all, "no event told of it")
	}
	if d.Relisted {
		all = append(all, "a list showed it")
	}
	return strings.Join(all, ", ")
}

// headline says in a line what happened to an object.
func headline(c *v1.Change, at time.Time) string {
	text := strings.Join(c.Causes, ", ")
	if c.Kind != "" {
		text += " " + c.Kind + " " + full(c.Namespace, c.Name)
	}
	if c.Op != "" {
		text += " " + c.Op
	}
	if c.Manager != "" {
		text += " by " + c.Manager
	}
	if c.Own {
		text += " (the operator's own write)"
	}
	if c.Deltas > 1 {
		text += fmt.Sprintf(", %s in %s", show.Count(c.Deltas, "delta"), show.Age(c.Last, c.First))
	}
	if !c.Last.IsZero() {
		text += ", " + show.Ago(at, c.Last)
	}
	return text
}
