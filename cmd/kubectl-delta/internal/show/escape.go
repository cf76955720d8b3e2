package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// Clean returns text with everything escaped that a terminal might obey, and so in one line.
// Characters without a shape, such as those that turn the direction of the text, are escaped
// too: with them a name can look like another.
func Clean(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)): // a byte that is no UTF-8
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case hidden(r):
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

// Escaped is a document that a terminal can show.
type Escaped []byte

// JSON returns a JSON document indented, and otherwise unchanged. Characters that a terminal
// might obey become escapes, which mean the same in JSON.
func JSON(document []byte) (Escaped, error) { return indented(document, inJSON) }

// JSONLine is [JSON] in one line.
func JSONLine(document []byte) (Escaped, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, document); err != nil {
		return nil, fmt.Errorf("read the answer as JSON: %w", err)
	}
	return escape(append(b.Bytes(), '\n'), inJSON), nil
}

// YAML returns a JSON document as YAML. Where YAML would show a character that a terminal
// might obey it returns what is nearly the JSON instead: YAML in one style of many.
func YAML(document []byte) (Escaped, error) {
	nearly, err := indented(document, escaped)
	if err != nil {
		return nil, err
	}
	out, err := yaml.JSONToYAML(nearly)
	if err != nil {
		return nil, fmt.Errorf("write the answer as YAML: %w", err)
	}
	if !utf8.Valid(out) || bytes.IndexFunc(out, unfit) >= 0 {
		return nearly, nil
	}
	return out, nil
}

func indented(document []byte, as func(rune) string) (Escaped, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, document, "", "    "); err != nil {
		return nil, fmt.Errorf("read the answer as JSON: %w", err)
	}
	return escape(append(b.Bytes(), '\n'), as), nil
}

// unfit reports whether a document must not show a character.
func unfit(r rune) bool { return r != '\n' && hidden(r) }

// escape replaces all that is unfit. That can only be part of a string: elsewhere JSON has no
// such characters, except the white space that json.Indent replaced.
func escape(document []byte, as func(rune) string) Escaped {
	out := make([]byte, 0, len(document))
	for _, r := range string(document) { // bytes that are no UTF-8 become U+FFFD
		if unfit(r) {
			out = append(out, as(r)...)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// inJSON is a character's escape in JSON, which counts in UTF-16.
func inJSON(r rune) (text string) {
	for _, unit := range utf16.AppendRune(nil, r) {
		text += fmt.Sprintf(`\u%04x`, unit)
	}
	return text
}
