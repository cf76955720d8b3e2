package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// grown are the lines of another size than that of the run.
type grown struct {
	Size  int    `json:"size"`
	Lines []line `json:"lines"`
}

// roundsOfGrowth is how often each side runs at each of the other sizes.
const roundsOfGrowth = 3

// grow measures the rows that have to do with the number of objects at the other sizes.
func (b *bench) grow(ctx context.Context, into *report) error {
	whole := b.settings
	defer func() { b.settings = whole }()
	for _, size := range whole.sizes {
		if size == whole.size {
			continue
		}
		b.settings.size = size
		r := &report{}
		for i := range promises {
			p := &promises[i]
			if p.grows < size || !b.runs(p.row) {
				continue
			}
			if err := b.rounds(ctx, p, roundsOfGrowth, r); err != nil {
				return err
			}
		}
		for _, f := range r.Failures {
			into.Failures = append(into.Failures, failure{Row: f.Row, Reason: fmt.Sprintf("with %d objects: %s", size, f.Reason)})
		}
		inOrder(r.Pairs)
		r.judge(nil)
		r.Lines = slices.DeleteFunc(r.Lines, func(l line) bool { return !l.Found.complete() })
		into.Growth = append(into.Growth, grown{Size: size, Lines: r.Lines})
	}
	return nil
}

// writeGrowth writes how figures depend on the number of objects.
func (r *report) writeGrowth(text *strings.Builder) {
	if len(r.Growth) == 0 {
		return
	}
	sizes := append(slices.Clone(r.Growth), grown{Size: r.Size, Lines: r.Lines})
	slices.SortFunc(sizes, func(a, b grown) int { return a.Size - b.Size })
	text.WriteString(`
## How it grows

The same rows with other numbers of objects. The first figure is the ratio, as above. The second is our cost of one operation, as a multiple of
what it is in the first column that has one.

| row | |`)
	for _, s := range sizes {
		fmt.Fprintf(text, " %d |", s.Size)
	}
	text.WriteString("\n|---:|---|" + strings.Repeat("---:|", len(sizes)) + "\n")
	for i := range r.Lines {
		if of := &r.Lines[i]; rowOf(of.Row).grows > 0 && of.Metric == rowOf(of.Row).metric {
			writeGrown(text, of, sizes)
		}
	}
}

func writeGrown(text *strings.Builder, of *line, sizes []grown) {
	fmt.Fprintf(text, "| %d | %s |", of.Row, cell(strings.TrimSuffix(of.What+": "+of.Variant, ": ")))
	first := 0.0
	for _, s := range sizes {
		at := slices.IndexFunc(s.Lines, func(l line) bool { return l.Row == of.Row && l.Variant == of.Variant && l.Metric == of.Metric })
		if at < 0 || !s.Lines[at].Found.complete() {
			text.WriteString(" |")
			continue
		}
		found := s.Lines[at].Found
		if first == 0 {
			first = found.Ours
		}
		fmt.Fprintf(text, " %s×, %s |", short(found.Ratio), short(found.Ours/first))
	}
	text.WriteString("\n")
}

// rowOf returns the promise of a row.
func rowOf(row int) *promise {
	i := slices.IndexFunc(promises, func(p promise) bool { return p.row == row })
	if i < 0 {
		return &promise{}
	}
	return &promises[i]
}
