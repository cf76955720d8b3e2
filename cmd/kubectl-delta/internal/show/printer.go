package show

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Style says how a piece of text looks. The zero Style is plain text.
type Style uint8

// The looks that a terminal is asked for.
const (
	Plain Style = iota
	Bold
	Faint
	Good
	Warning
	Bad
)

// codes are the escape sequences of the styles.
var codes = map[Style]string{Bold: "1", Faint: "2", Good: "32", Warning: "33", Bad: "31"}

// Span is a piece of text in one style.
type Span struct {
	Text  string
	Style Style
}

// Text is a plain span.
func Text(text string) Span { return Span{Text: text} }

// In is a span in a style.
func In(style Style, text string) Span { return Span{Text: text, Style: style} }

// Look is what a Printer may do.
type Look struct {
	// Colours allows colours.
	Colours bool
	// Width is the number of columns that sentences are wrapped to.
	Width int
	// Cut shortens the last column of a table to Width. Programs that read the output want
	// all of it, so this is for terminals.
	Cut bool
}

// plainWidth is the width of what no terminal shows.
const plainWidth = 100

// LookOf returns what suits a writer: colours only on a terminal whose user has not set
// NO_COLOR.
func LookOf(out io.Writer, getenv func(string) string) Look {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return Look{Width: plainWidth}
	}
	look := Look{Width: plainWidth, Cut: true}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
		look.Width = max(width, 80)
	}
	look.Colours = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	return look
}

// Printer writes lines, tables and sentences. It keeps the first error of the writer.
type Printer struct {
	out  io.Writer
	look Look
	err  error
}

// New returns a Printer.
func New(out io.Writer, look Look) *Printer { return &Printer{out: out, look: look} }

// Err returns the first error of the writer.
func (p *Printer) Err() error { return p.err }

// Line writes spans and ends the line.
func (p *Printer) Line(spans ...Span) {
	var b strings.Builder
	for _, span := range spans {
		b.WriteString(p.paint(span))
	}
	p.write(strings.TrimRight(b.String(), " ") + "\n")
}

// Fit writes spans in one line, which a terminal cuts at its width.
func (p *Printer) Fit(spans ...Span) {
	if !p.look.Cut {
		p.Line(spans...)
		return
	}
	var line []Span
	left := p.look.Width
	for _, span := range spans {
		if left <= 0 {
			break
		}
		short := In(span.Style, Shorten(span.Text, left))
		left -= columns(short)
		line = append(line, short)
	}
	p.Line(line...)
}

// Sentence writes text below an indent, and wraps it between words.
func (p *Printer) Sentence(indent string, spans ...Span) {
	line, used := []Span{Text(indent)}, utf8.RuneCountInString(indent)
	empty := true
	for _, word := range words(spans) {
		width := 0
		for _, part := range word {
			width += columns(part)
		}
		if !empty && used+width > p.look.Width {
			p.Line(line...)
			line, used = []Span{Text(indent + "  ")}, utf8.RuneCountInString(indent)+2
		}
		line, used, empty = append(append(line, word...), Text(" ")), used+width+1, false
	}
	p.Line(line...)
}

// words splits spans at their spaces. A word whose parts differ in style has several spans.
func words(spans []Span) [][]Span {
	var all [][]Span
	open := false // the last word goes on
	for _, span := range spans {
		for i, part := range strings.Split(span.Text, " ") {
			open = open && i == 0
			switch {
			case part == "":
			case open:
				all[len(all)-1] = append(all[len(all)-1], In(span.Style, part))
			default:
				all = append(all, []Span{In(span.Style, part)})
				open = true
			}
		}
		open = len(all) > 0 && !strings.HasSuffix(span.Text, " ") && (open || span.Text != "")
	}
	return all
}

func (p *Printer) paint(span Span) string {
	text := Clean(span.Text)
	code := codes[span.Style]
	if !p.look.Colours || code == "" || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *Printer) write(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.out, text)
	}
}

// Raw writes bytes that [JSON] or [YAML] made.
func (p *Printer) Raw(escaped Escaped) { p.write(string(escaped)) }
