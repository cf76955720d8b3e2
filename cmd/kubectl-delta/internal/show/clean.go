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
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}

func harmless(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, hidden) < 0
}

func hidden(r rune) bool { return !unicode.IsPrint(r) }
