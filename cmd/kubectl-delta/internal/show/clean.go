package show

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns text with everything escaped that a terminal might obey, and so in one line.
// Characters without a shape, such as those that turn the direction of the text, are escaped
// too: with them a name can look like another.
func Clean(text string) string {
	if harmless(text) {
		return text
	}
	var b strings.Builder
	marks := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !hidden(r) && marks <= mostMarks:
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}

// mostMarks is how many marks on one letter are shown. A tower of them covers other lines.
const mostMarks = 3

func harmless(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return hidden(r) || unicode.Is(unicode.M, r) }) < 0
}

// hidden reports whether nothing of a character is seen. Some count as letters or symbols.
func hidden(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800': // fillers, and Braille without a dot
		return true
	default:
		return !unicode.IsPrint(r)
	}
}
