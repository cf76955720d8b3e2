package main

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// The sizes in a picture, in pixels. Each piece of text has its own position. So columns stay
// columns in every font that is not wider than this.
const (
	columnWidth = 7.25
	lineHeight  = 17
	margin      = 14
	mostColumns = 160 // longer lines are cut
)

// classes has the class for each colour.
var classes = map[shade]string{bold: "b", faint: "f", red: "r", green: "g", yellow: "y", cyan: "c"}

// pictureStart has a background of its own, so the picture looks the same on a light page and
// on a dark one. It only needs a font that every machine has.
const pictureStart = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" xml:space="preserve" role="img" aria-label="What a terminal shows">
<style>
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d5dae1; white-space: pre }
.b { font-weight: bold; fill: #ffffff } .f { fill: #8b95a3 } .r { fill: #ff8f87 } .g { fill: #6fd08c } .y { fill: #e3b95f } .c { fill: #6cc5e8 }
</style>
<rect width="%[1]d" height="%[2]d" rx="8" fill="#161b22" stroke="#444c56"/>
`

// picture draws the output of a terminal as SVG.
func picture(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	widest := 0
	var body strings.Builder
	for i, line := range lines {
		spans := spansOf(line)
		for _, s := range spans {
			widest = max(widest, s.column+utf8.RuneCountInString(s.text))
		}
		if len(spans) == 0 {
			continue
		}
		fmt.Fprintf(&body, `<text y="%d">`, margin+lineHeight*(i+1)-4)
		for _, s := range spans {
			class := ""
			if name := classes[s.shade]; name != "" {
				class = ` class="` + name + `"`
			}
			fmt.Fprintf(&body, `<tspan x="%g"%s>%s</tspan>`, margin+columnWidth*float64(s.column), class, html.EscapeString(s.text))
		}
		body.WriteString("</text>\n")
	}
	width, height := 2*margin+int(columnWidth*float64(widest))+1, 2*margin+lineHeight*len(lines)
	return fmt.Sprintf(pictureStart, width, height) + body.String() + "</svg>\n"
}

// span is a piece of a line that has one colour.
type span struct {
	column int
	shade  shade
	text   string
}

// spansOf splits a line where its colour changes. Spaces at the start of a piece become its
// position.
func spansOf(line string) []span {
	var spans []span
	column, current := 0, shade("")
	add := func(text string) {
		if left := mostColumns - column; utf8.RuneCountInString(text) > left {
			text = string([]rune(text)[:max(0, left-1)]) + "…"
			if left <= 0 {
				return
			}
		}
		shown := strings.TrimLeft(text, " ")
		if shown != "" {
			indent := len(text) - len(shown)
			spans = append(spans, span{column: column + indent, shade: current, text: strings.TrimRight(shown, " ")})
		}
		column += utf8.RuneCountInString(text)
	}
	for line != "" {
		at := escape.FindStringIndex(line)
		if at == nil {
			add(line)
			break
		}
		add(line[:at[0]])
		current = shade(strings.Trim(line[at[0]:at[1]], "\x1b[m"))
		line = line[at[1]:]
	}
	return spans
}
