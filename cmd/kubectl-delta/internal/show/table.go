package show

import (
	"strings"
	"unicode/utf8"
)

// gap stands between two columns.
const gap = "  "

// Table writes rows below a head, in columns. A cell is one span; a row may be shorter than
// the head.
func (p *Printer) Table(head []string, rows [][]Span) {
	all := make([][]Span, 0, len(rows)+1)
	all = append(all, heads(head))
	all = append(all, rows...)
	widths := make([]int, len(head))
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(cell))
		}
	}
	for _, row := range all {
		p.row(row, widths)
	}
}

func heads(names []string) []Span {
	row := make([]Span, len(names))
	for i, name := range names {
		row[i] = In(Faint, name)
	}
	return row
}

// columns is how wide a cell is once it is clean.
func columns(cell Span) int { return utf8.RuneCountInString(Clean(cell.Text)) }

func (p *Printer) row(row []Span, widths []int) {
	var line []Span
	used := 0
	for i, cell := range row {
		if i == len(row)-1 {
			line = append(line, p.fit(cell, used))
			break
		}
		pad := widths[i] - columns(cell)
		line = append(line, cell, Text(strings.Repeat(" ", pad)+gap))
		used += widths[i] + len(gap)
	}
	p.Line(line...)
}

// fit shortens the last cell of a row to what is left of the width.
func (p *Printer) fit(cell Span, used int) Span {
	left := p.look.Width - used
	if !p.look.Cut || columns(cell) <= left {
		return cell
	}
	return In(cell.Style, Shorten(cell.Text, max(left, 10)))
}

// Shorten returns text in at most width columns.
func Shorten(text string, width int) string {
	runes := []rune(Clean(text))
	if len(runes) <= width {
		return string(runes)
	}
	return string(runes[:max(width-1, 0)]) + "…"
}
