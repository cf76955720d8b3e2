package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// A report is everything that a run has measured. A page keeps it without the raw samples, because it
// has the ratio of each round, and without a date, because the commit identifies the run.
type report struct {
	Machine  system    `json:"machine"`
	Commit   string    `json:"commit"`
	Size     int       `json:"size"`
	Lines    []line    `json:"lines"`
	Pairs    []*pair   `json:"-"` // the raw samples
	Failures []failure `json:"failures,omitempty"`
}

type system struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	Go    string `json:"go"`
}

type failure struct {
	Row    int    `json:"row"`
	Reason string `json:"reason"`
}

// A line is one line of the table.
type line struct {
	Row     int        `json:"row"`
	What    string     `json:"what"`
	Variant string     `json:"variant,omitempty"`
	Metric  string     `json:"metric"`
	Gate    string     `json:"gate,omitempty"`
	Most    float64    `json:"most,omitempty"` // the largest figure that ours may have; 0 if the gate is a ratio
	Found   comparison `json:"found"`
	Holds   *bool      `json:"holds,omitempty"` // nil if the line has no gate
}

// judge makes the lines of the selected rows from the pairs.
func (r *report) judge(wanted map[int]bool) {
	for i := range promises {
		p := &promises[i]
		if !wanted[p.row] {
			continue
		}
		before := len(r.Lines)
		for _, pair := range r.Pairs {
			if pair.Row == p.row {
				r.Lines = append(r.Lines, p.lines(pair)...)
			}
		}
		if len(r.Lines) == before {
			r.Lines = append(r.Lines, p.line("", gate{metric: p.metric}))
		}
	}
}

// lines makes the lines of one variant of a row.
func (p *promise) lines(of *pair) []line {
	var lines []line
	for _, g := range p.gatesOf(of.Variant) {
		l := p.line(of.Variant, g)
		l.Found = of.compare(g.metric)
		if g.judges() && l.Found.complete() {
			holds := g.holds(l.Found)
			l.Holds = &holds
		}
		lines = append(lines, l)
	}
	return lines
}

func (p *promise) line(variant string, g gate) line {
	return line{
		Row: p.row, What: p.what, Variant: variant, Metric: g.metric,
		Gate: g.String(), Most: g.most,
	}
}

// missing reports whether something was not measured.
func (r *report) missing() bool {
	return len(r.Failures) > 0 || slices.ContainsFunc(r.Lines, func(l line) bool { return !l.Found.complete() })
}

// gates counts the gates that were judged, and how many of them hold.
func (r *report) gates() (judged, held int) {
	for _, l := range r.Lines {
		if l.Holds != nil {
			judged++
			if *l.Holds {
				held++
			}
		}
	}
	return judged, held
}

// toFile writes a file, and makes its folder.
func toFile(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// short shows a number with three digits.
func short(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
