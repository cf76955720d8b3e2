package path

import "unicode/utf8"

// How long a path and a value may become in a text for people, in bytes.
const (
	MaxPath  = 200
	MaxValue = 100
)

// Cut shortens a text to at most limit bytes, and ends it with a mark if it did.
func Cut(text string, limit int) string {
	const mark = "…"
	if len(text) <= limit {
		return text
	}
	end := limit - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// Ends returns the beginning and the end of a text, of at most limit bytes together. An error begins with what was tried, and ends
// with the cause.
func Ends(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	first := Cut(text, limit/4)
	from := len(text) - (limit - len(first))
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return first + text[from:]
}
