package docblocks

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
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

// Apply returns the source with all hunks in it. They are looked for in the source
// as it was, each must be there once, and no two may have a line in common: so the
// order in which a page shows them doesn't matter.
func Apply(source string, hunks []Hunk) (string, error) {
	type place struct {
		at int
		Hunk
	}
	var places []place
	for _, h := range hunks {
		at, err := find(source, h.Old)
		if err != nil {
			return "", err
		}
		places = append(places, place{at, h})
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(b.at, a.at) }) // from the end, so that those before stay where they are
	for i, p := range places {
		end := p.at + len(p.Old)
		if i > 0 && end > places[i-1].at {
			return "", fmt.Errorf("apply a hunk: it has lines in common with another one:\n%s", p.Old)
		}
		source = source[:p.at] + p.New + source[end:]
	}
	return source, nil
}

// find returns where the lines are in the source. Lines match as a whole.
func find(source, lines string) (int, error) {
	places := occurrences("\n"+source, "\n"+lines) // each line has a newline in front now
	switch len(places) {
	case 1:
		return places[0], nil
	case 0:
		return 0, fmt.Errorf("apply a hunk: these lines are not there:\n%s", lines)
	default:
		return 0, fmt.Errorf("apply a hunk: these lines are there %d times, so nobody knows which are meant:\n%s", len(places), lines)
	}
}

// occurrences returns all places, also those that overlap.
func occurrences(text, part string) (places []int) {
	for from := 0; ; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			return places
		}
		places = append(places, from+i)
		from += i + 1
	}
}

// Reverse returns the hunks that take back what these did.
func Reverse(hunks []Hunk) []Hunk {
	back := make([]Hunk, len(hunks))
	for i, h := range hunks {
		back[i] = Hunk{Old: h.New, New: h.Old}
	}
	return back
}
