package docblocks

import (
	"regexp"
	"strings"
)

// Command is what a document tells its reader to type.
type Command struct {
	// Line is where it is in the document, counted from 1.
	Line int
	// Text is the command as it is shown, without what is said of it beside it.
	Text string
	// Output has the lines that follow it in its block, up to the next command.
	Output string
}

var (
	// typed is how a command of ours begins: settings, then a program.
	typed = regexp.MustCompile(`^(?:[A-Z_]+=\S+ )*(?:go|make|git|kubectl|kubebuilder|curl|docker|bin/[\w/-]+|\./[\w./-]+)(?: |$)`)
	// aside is what stands beside a command, or behind it as a comment.
	aside = regexp.MustCompile(`\s{3,}.*$|\s+# .*$`)
	// span may go on in the next line, but not beyond the end of a paragraph.
	span  = regexp.MustCompile("`([^`\n]+(?:\n[^`\n]+)?)`")
	space = regexp.MustCompile(`\s+`)
)

// shells are the languages whose fenced blocks have commands.
var shells = map[string]bool{"sh": true, "bash": true, "shell": true, "console": true}

// Commands returns what a document tells to type: in blocks, and in sentences between
// backticks. There a word alone, as `make`, is a program and no command. A span
// with … in it is a form of commands.
func Commands(document string) ([]Command, error) {
	blocks, err := Parse(document)
	if err != nil {
		return nil, err
	}
	var found []Command
	prose := strings.SplitAfter(document, "\n")
	for _, b := range blocks {
		if !b.Fenced || shells[b.Language] {
			found = append(found, b.commands()...)
		}
		for i := range strings.Count(b.Text, "\n") {
			prose[b.Line-1+i] = "\n"
		}
	}
	text := strings.Join(prose, "")
	for _, at := range span.FindAllStringSubmatchIndex(text, -1) {
		command := space.ReplaceAllString(text[at[2]:at[3]], " ")
		if typed.MatchString(command) && strings.Contains(command, " ") && !strings.Contains(command, "…") {
			found = append(found, Command{Line: 1 + strings.Count(text[:at[0]], "\n"), Text: command})
		}
	}
	return found, nil
}

// commands returns the lines of a block that are commands, each with those that
// follow it. In a fenced block of a shell every line is one.
func (b Block) commands() (found []Command) {
	number := b.Line - 1
	for line := range strings.Lines(b.Text) {
		number++
		text := strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		switch {
		case text == "" || strings.HasPrefix(text, "#"):
		case b.Fenced || typed.MatchString(text):
			found = append(found, Command{Line: number, Text: aside.ReplaceAllString(text, "")})
		case len(found) > 0:
			found[len(found)-1].Output += line
		}
	}
	return found
}
