package show

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// width is the number of columns that sentences are wrapped to.
const width = 100

// Printer writes lines, tables and sentences. It keeps the first error of the writer.
type Printer struct {
	out io.Writer
	err error
}

// New returns a Printer.
func New(out io.Writer) *Printer { return &Printer{out: out} }

// Err returns the first error of the writer.
func (p *Printer) Err() error { return p.err }

// Line writes text and ends the line.
func (p *Printer) Line(text string) { p.write(strings.TrimRight(Clean(text), " ") + "\n") }

// Sentence writes text below an indent, and wraps it between words.
func (p *Printer) Sentence(indent, text string) {
	line := indent
	for i, word := range strings.Fields(Clean(text)) {
		if i > 0 && utf8.RuneCountInString(line+word) > width {
			p.Line(line)
			line = indent + "  "
		}
		line += word + " "
	}
	p.Line(line)
}

// Table writes rows below a head, in columns.
func (p *Printer) Table(head []string, rows [][]string) {
	var b strings.Builder
	columns := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{head}, rows...) {
		cells := make([]string, len(row))
		for i := range row {
			cells[i] = Clean(row[i]) // so it has no tab
		}
		fmt.Fprintln(columns, strings.Join(cells, "\t"))
	}
	_ = columns.Flush() // a Builder takes all
	for line := range strings.Lines(b.String()) {
		p.Line(strings.TrimSuffix(line, "\n"))
	}
}

// Raw writes bytes that [JSON] or [YAML] made.
func (p *Printer) Raw(document Escaped) { p.write(string(document)) }

func (p *Printer) write(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.out, text)
	}
}
