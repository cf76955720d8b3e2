package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

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
