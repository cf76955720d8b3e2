package diff

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// maxJSON is how long the edits of a Diff may become, in bytes.
const maxJSON = 8000

// MarshalJSON shows what [Diff.String] does, for programs, and no more than about 8 KB:
//
//	{"edits":[{"path":"spec.replicas","what":"Modified","before":3,"after":5}]}
//
// A value of more than 100 bytes is a string with the beginning of its JSON. Besides
// edits there are, where they apply, "created" and "deleted", "more" with the number of
// edits that are not shown, "truncated" and "error".
func (d *Diff) MarshalJSON() ([]byte, error) {
	r := d.result()
	shown := struct {
		Created   bool              `json:"created,omitempty"`
		Deleted   bool              `json:"deleted,omitempty"`
		Edits     []json.RawMessage `json:"edits"`
		More      int               `json:"more,omitempty"`
		Truncated bool              `json:"truncated,omitempty"`
		Error     string            `json:"error,omitempty"`
	}{
		Created: d.before == nil && d.after != nil, Deleted: d.after == nil && d.before != nil,
		Edits: []json.RawMessage{}, Truncated: r.truncated,
	}
	if r.err != nil {
		shown.Error = path.Cut(r.err.Error(), maxText)
	}
	size := 0
	for i := range r.edits {
		text, err := r.edits[i].json()
		if err != nil {
			return nil, err
		}
		if size += len(text); size > maxJSON {
			shown.More = len(r.edits) - i
			break
		}
		shown.Edits = append(shown.Edits, text)
	}
	return json.Marshal(shown)
}

// MarshalJSON is the edit as the [Diff] shows it.
func (e Edit) MarshalJSON() ([]byte, error) {
	inner := e.edit()
	return inner.json()
}

func (e *edit) json() ([]byte, error) {
	shown := struct {
		Path   string          `json:"path"`
		What   string          `json:"what"`
		Before json.RawMessage `json:"before,omitempty"`
		After  json.RawMessage `json:"after,omitempty"`
	}{Path: path.Cut(e.path.String(), path.MaxPath), What: e.what(), Before: valueJSON(e.before), After: valueJSON(e.after)}
	text, err := json.Marshal(shown)
	if err != nil {
		return nil, fmt.Errorf("marshal the edit of %s: %w", shown.Path, err)
	}
	return text, nil
}

// what is the word for what happened to the field.
func (e *edit) what() string {
	switch {
	case e.added():
		return "Added"
	case e.removed():
		return "Removed"
	default:
		return "Modified"
	}
}

// valueJSON is nil where there is no value. A value that is too long, or can't be JSON, is
// a string.
func valueJSON(v value.Value) json.RawMessage {
	if v == nil {
		return nil
	}
	p := printer{limit: path.MaxValue}
	p.value(v)
	if text := p.String(); !p.full() && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return json.RawMessage(jsonString(path.Cut(p.String(), path.MaxValue)))
}

// jsonString writes a string as JSON. Bytes that are no UTF-8 are replaced.
func jsonString(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(fmt.Sprintf("BUG: a string is not JSON: %v", err))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
