package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// shade is one of a terminal's colours.
type shade string

const (
	bold   shade = "1"
	faint  shade = "2"
	red    shade = "31"
	green  shade = "32"
	yellow shade = "33"
	cyan   shade = "36"
)

// takesColours reports whether the output is a terminal that has colours, and the user has not
// declined them: see no-color.org.
func takesColours(out *os.File, env func(string) string) bool {
	info, err := out.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	return terminal && env("NO_COLOR") == "" && env("TERM") != "dumb"
}

// plain returns a text without its colours. Everything is rendered with colours first.
func plain(text string) string { return escape.ReplaceAllString(text, "") }

// escape matches the codes that set and end a colour.
var escape = regexp.MustCompile(`\x1b\[[0-9]*m`)

// in returns a text in a colour.
func in(how shade, text string) string {
	if text == "" {
		return text
	}
	return "\x1b[" + string(how) + "m" + text + "\x1b[0m"
}

// printer writes the output for the user. The output of one call is never mixed with that of
// another.
type printer struct {
	colours bool // out gets them

	mu     sync.Mutex // guards everything below
	out    io.Writer
	folded int // calls that are not shown yet
}

func newPrinter(out io.Writer, colours bool) *printer {
	return &printer{colours: colours, out: out}
}

// show shows how many calls were folded, and then the lines, if there are any. They have colours.
func (p *printer) show(lines ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.folded > 0 {
		count := fmt.Sprintf("%*s + calls with nothing to write: %d", len(timeFormat), "", p.folded)
		lines, p.folded = append([]string{in(faint, count)}, lines...), 0
	}
	if len(lines) == 0 {
		return
	}
	text := strings.Join(lines, "\n") + "\n"
	if !p.colours {
		text = plain(text)
	}
	fmt.Fprint(p.out, text)
}

// fold counts a call that had nothing to write. Most calls of an operator are like that, and would
// hide the others. One line before the next output says how many there were.
func (p *printer) fold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.folded++
}

// title begins a part.
func (p *printer) title(text string) { p.show("", in(bold, "── "+text)) }

// command shows a command as a user could type it.
func (p *printer) command(line string) { p.show(in(faint, "   $ ") + line) }

// said shows the output of a command.
func (p *printer) said(text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		p.show("     " + clean(strings.TrimSuffix(line, "\n")))
	}
}

// note shows a line about the demo itself.
func (p *printer) note(text string) { p.show(in(faint, "   "+text)) }

// fact shows a value that the user may need, with its name.
func (p *printer) fact(name, value string) { p.show(fmt.Sprintf("   %-12s %s", name, value)) }

// success says that the cluster is in the expected state, and how long that took.
func (p *printer) success(text string, took time.Duration) {
	p.show(in(green, "   ✓ "+text) + in(faint, fmt.Sprintf(", after %.1fs", took.Seconds())))
}

// failure says why the demo ends too early.
func (p *printer) failure(err error) { p.show("", in(red, "✗ "+err.Error())) }

// line shows a line of the operator's log, if a user would want to read it.
func (p *printer) line(e entry) {
	if lines := render(e); len(lines) > 0 {
		p.show(lines...)
	}
}

// raw shows a line of the operator's output that is not a line of its log.
func (p *printer) raw(line string) { p.show(in(yellow, "   ! ") + clean(line)) }

// render makes a line of the log readable. For most lines it returns nothing.
func render(e entry) []string {
	switch {
	case e.Message == reconciled:
		return reconcile(e)
	case e.Level == "error" || e.Level == "warn":
		text := e.Message
		if e.Error != "" {
			text += ": " + e.Error
		}
		return []string{head(e) + in(red, shorten(text, 400))}
	default:
		return nil
	}
}

// reconcile shows why a Site was reconciled, which fields changed, and what was written.
func reconcile(e entry) []string {
	indent := strings.Repeat(" ", width(e))
	var lines []string
	for _, because := range e.Changes {
		lines = append(lines, indent+in(cyan, shorten(because.Change, 200)))
		lines = append(lines, edits(because, indent+"  ")...)
	}
	if len(lines) == 0 {
		lines = []string{indent + in(cyan, "nothing known")}
	}
	lines[0] = head(e) + strings.TrimPrefix(lines[0], indent)
	if e.Incomplete != "" {
		lines = append(lines, indent+in(faint, "and perhaps more: "+shorten(e.Incomplete, 160)))
	}
	did := in(faint, "nothing to write")
	if len(e.Wrote) > 0 {
		did = "wrote " + in(bold, shorten(strings.Join(e.Wrote, ", "), 200))
	}
	looked := "looked at " + shorten(e.Steps, 100)
	if e.Took != "" {
		looked += ", " + e.Took
	}
	return append(lines, indent+"→ "+did+in(faint, "  ("+looked+")"))
}

// edits shows each edit on a line of its own.
func edits(c cause, indent string) []string {
	var lines []string
	for _, edit := range c.Diff {
		lines = append(lines, indent+coloured(shorten(edit, 160)))
	}
	if c.More > 0 {
		lines = append(lines, indent+in(faint, fmt.Sprintf("and %d more", c.More)))
	}
	return lines
}

func coloured(edit string) string {
	switch {
	case strings.HasPrefix(edit, "+"):
		return in(green, edit)
	case strings.HasPrefix(edit, "-"):
		return in(red, edit)
	default:
		return in(yellow, edit)
	}
}

const timeFormat = "15:04:05.000"

func head(e entry) string {
	return in(faint, e.Time.Format(timeFormat)) + " " + in(bold, shorten(e.object(), 80)) + " "
}

// width is how many columns a text takes.
func width(e entry) int {
	return len(timeFormat) + utf8.RuneCountInString(shorten(e.object(), 80)) + 2
}

// shorten cuts a text to the width of a line, and cleans it.
func shorten(text string, most int) string {
	runes := []rune(clean(text))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-1]) + "…"
}

// clean replaces characters that can't be printed. Names and values come from a cluster, and
// must not send commands to the terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, text)
}
