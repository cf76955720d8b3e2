package docblocks

import (
	"fmt"
	"regexp"
	"strings"
)

// Block is code that stands apart from the sentences.
type Block struct {
	// Line is where its first line is in the document, counted from 1.
	Line int
	// Fenced is set if the block is between fences; the others are indented.
	Fenced bool
	// Language is what the opening fence says.
	Language string
	// Text has the block's lines, without the indentation of an indented block. Each
	// ends with a newline.
	Text string
	// Before is the paragraph in front of it, where a file or a source is named.
	Before string
	// Section is the heading that it stands under.
	Section string
}

const (
	fence  = "```"
	indent = "    "
)

// Parse returns the blocks of a document, from top to bottom.
func Parse(document string) ([]Block, error) {
	p := parser{}
	number := 0
	for line := range strings.Lines(document) {
		number++
		p.line(number, strings.TrimSuffix(line, "\n"))
	}
	if p.open != nil && p.open.Fenced {
		return nil, fmt.Errorf("read the block that begins in line %d: its fence is not closed", p.open.Line)
	}
	p.end()
	return p.blocks, nil
}

// parser is between two lines of a document.
type parser struct {
	blocks    []Block
	open      *Block // the block that the next line may belong to
	section   string
	paragraph string // the paragraph above, or the one that the last line belongs to
	inside    bool   // the last line belongs to that paragraph
}

func (p *parser) line(number int, line string) {
	if p.open != nil && p.continues(line) {
		return
	}
	info, fenced := strings.CutPrefix(line, fence)
	switch {
	case fenced:
		p.begin(Block{Line: number + 1, Fenced: true, Language: strings.TrimSpace(info)})
	case strings.HasPrefix(line, indent) && !p.inside && strings.TrimSpace(line) != "":
		p.begin(Block{Line: number, Text: strings.TrimPrefix(line, indent) + "\n"})
	case strings.TrimSpace(line) == "":
		p.inside = false
	case strings.HasPrefix(line, "#"):
		p.section = strings.TrimSpace(strings.TrimLeft(line, "#"))
		p.paragraph, p.inside = "", false
	case p.inside:
		p.paragraph += "\n" + line
	default:
		p.paragraph, p.inside = line, true
	}
}

func (p *parser) begin(b Block) {
	b.Before, b.Section = p.paragraph, p.section
	p.open = &b
}

// continues reports whether the line belongs to the open block, or is the fence that
// closes it.
func (p *parser) continues(line string) bool {
	b := p.open
	switch {
	case b.Fenced && strings.TrimRight(line, " ") == fence:
		p.end()
	case b.Fenced:
		b.Text += line + "\n"
	case strings.HasPrefix(line, indent):
		b.Text += strings.TrimPrefix(line, indent) + "\n"
	case line == "": // more may follow, and if not, end takes it away again
		b.Text += "\n"
	default:
		p.end()
		return false
	}
	return true
}

func (p *parser) end() {
	if p.open == nil {
		return
	}
	if !p.open.Fenced {
		p.open.Text = strings.TrimRight(p.open.Text, "\n") + "\n"
	}
	p.blocks = append(p.blocks, *p.open)
	p.open, p.inside, p.paragraph = nil, false, ""
}

var quoted = regexp.MustCompile(`(?m)^<!-- quoted from (\S+) -->$`)

// Source returns the file that the block says it is quoted from, and "" if it says
// nothing.
func (b Block) Source() string {
	if m := quoted.FindStringSubmatch(b.Before); m != nil {
		return m[1]
	}
	return ""
}
