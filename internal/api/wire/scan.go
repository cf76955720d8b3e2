package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// scan looks for the end of a JSON object while it arrives. Each byte is looked at once, however often more come. Of an
// object that is in no order it finds some end, or none.
type scan struct {
	seen   int // bytes that were looked at
	depth  int // brackets that are open there
	inText bool
}

// end returns where the object at the beginning of data ends, and 0 if it goes on behind data. The bytes that were
// seen are there once more, and others may have come.
func (s *scan) end(data []byte) int {
	for s.seen < len(data) {
		if s.inText {
			s.passText(data)
			continue
		}
		b := data[s.seen]
		s.seen++
		switch b {
		case '"':
			s.inText = true
		case '{', '[':
			s.depth++
		case '}', ']':
			if s.depth--; s.depth <= 0 {
				return s.seen
			}
		}
	}
	return 0
}

// passText goes to the next quote, which ends the text unless an odd number of backslashes stands before it.
func (s *scan) passText(data []byte) {
	n := bytes.IndexByte(data[s.seen:], '"')
	if n < 0 {
		s.seen = len(data)
		return
	}
	quote := s.seen + n
	before := len(bytes.TrimRight(data[:quote], `\`))
	s.inText = (quote-before)%2 == 1
	s.seen = quote + 1
}

// extent returns where the JSON value at the beginning of data ends, and 0 if it goes on behind data. Unlike
// decode.Pass it tells an end that has not come from one that will never come.
func extent(data []byte) (end int, err error) {
	from := json.NewDecoder(bytes.NewReader(data))
	var value json.RawMessage
	switch err := from.Decode(&value); {
	case err == nil:
		return int(from.InputOffset()), nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return 0, nil
	default:
		return 0, err
	}
}
