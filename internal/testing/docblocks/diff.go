package docblocks

import (
	"errors"
	"fmt"
	"strings"
)

// Hunk is one place of a file, before and after a change. Both have whole lines, and
// neither is empty: a hunk that only adds has a line of context, so that there is a
// place for it, and one that only removes has one too, so that it can be taken back.
type Hunk struct {
	Old, New string
}

// ParseDiff reads a diff without line numbers, as a page shows it: an empty line
// stands between two hunks, and what is shown has to be found in the file exactly.
func ParseDiff(text string) ([]Hunk, error) {
	var hunks []Hunk
	number := 0
	for part := range strings.SplitSeq(text, "\n\n") {
		if strings.Trim(part, "\n") != "" {
			h, err := parseHunk(strings.Trim(part, "\n"))
			if err != nil {
				return nil, fmt.Errorf("read the hunk in line %d of a diff: %w", number+1+len(part)-len(strings.TrimLeft(part, "\n")), err)
			}
			hunks = append(hunks, h)
		}
		number += strings.Count(part, "\n") + 2
	}
	if len(hunks) == 0 {
		return nil, errors.New("read a diff: it has no lines")
	}
	return hunks, nil
}

func parseHunk(text string) (Hunk, error) {
	var h Hunk
	for line := range strings.SplitSeq(text, "\n") {
		if err := h.add(line); err != nil {
			return h, err
		}
	}
	switch {
	case h.Old == "":
		return h, errors.New("it has no line of context, so nobody knows where it belongs")
	case h.New == "":
		return h, errors.New("it leaves no line, so nobody could take it back")
	case h.Old == h.New:
		return h, errors.New("it changes nothing")
	}
	return h, nil
}

func (h *Hunk) add(line string) error {
	rest := line[1:] + "\n"
	switch line[0] {
	case ' ':
		h.Old += rest
		h.New += rest
	case '-':
		h.Old += rest
	case '+':
		h.New += rest
	default:
		return fmt.Errorf("%q begins with neither +, - nor a space", line)
	}
	return nil
}
