package show

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostMarks is how many marks on one letter are shown. A tower of them covers other lines.
const mostMarks = 3

// Clean returns text with everything escaped that a terminal might obey, and so in one line.
// Characters without a shape, such as those that turn the direction of the text, are escaped
// too: with them a name can look like another.
func Clean(text string) string {
	var b strings.Builder
	marks := 0
	for i, r := range text {
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)): // a byte that is no UTF-8
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case hidden(r) || marks > mostMarks:
			b.WriteString(escaped(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escaped is a character's escape in Go, which is one in YAML too.
func escaped(r rune) string {
	quoted := strconv.QuoteRuneToASCII(r)
	return quoted[1 : len(quoted)-1]
}

// hidden reports whether nothing of a character is seen. Some count as letters or symbols: they fill
// a place, and Braille has one without a dot.
func hidden(r rune) bool {
	return !unicode.IsPrint(r) || strings.ContainsRune("\u115f\u1160\u3164\uffa0\u2800", r)
}
