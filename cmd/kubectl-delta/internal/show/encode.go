package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// Escaped is a document that a terminal can show.
type Escaped []byte

// JSON returns a JSON document indented, and otherwise unchanged. Characters that a terminal
// might obey become escapes, which mean the same in JSON.
func JSON(document []byte) (Escaped, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, document, "", "    "); err != nil {
		return nil, fmt.Errorf("read the answer as JSON: %w", err)
	}
	return append(escape(b.Bytes(), inJSON), '\n'), nil
}

// JSONLine is [JSON] in one line.
func JSONLine(document []byte) (Escaped, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, document); err != nil {
		return nil, fmt.Errorf("read the answer as JSON: %w", err)
	}
	return append(escape(b.Bytes(), inJSON), '\n'), nil
}

// YAML returns a JSON document as YAML. Where YAML would show a character that a terminal
// might obey it returns what is nearly the JSON instead: YAML in one style of many.
func YAML(document []byte) (Escaped, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, document, "", "    "); err != nil {
		return nil, fmt.Errorf("read the answer as JSON: %w", err)
	}
	escaped := escape(b.Bytes(), inYAML)
	out, err := yaml.JSONToYAML(escaped)
	if err != nil {
		return nil, fmt.Errorf("write the answer as YAML: %w", err)
	}
	if utf8.Valid(out) && bytes.IndexFunc(out, unfit) < 0 {
		return out, nil
	}
	return append(escaped, '\n'), nil
}

// unfit reports whether a document must not show a character.
func unfit(r rune) bool { return r != '\n' && hidden(r) }

// escape replaces all that is unfit. That can only be part of a string: elsewhere JSON has no
// such characters, except the white space that json.Indent replaced.
func escape(document []byte, as func(rune) string) []byte {
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
func inJSON(r rune) string {
	if r <= 0xFFFF {
		return fmt.Sprintf(`\u%04x`, r)
	}
	high, low := utf16.EncodeRune(r)
	return fmt.Sprintf(`\u%04x\u%04x`, high, low)
}

// inYAML is a character's escape in YAML, which knows no halves of characters.
func inYAML(r rune) string {
	if r <= 0xFFFF {
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
