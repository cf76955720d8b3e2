package cache

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The first byte says how a saved object is written.
const (
	savedJSON    = 'j'
	savedProto   = 'p'
	savedImprint = 'i' // what it differs in from those before it
)

// message is what Go types do that have messages.
type message interface {
	MarshalTo(data []byte) (int, error)
	Size() int
	Unmarshal(data []byte) error
}

// appendObject appends an object in the form in which it takes least to read it again.
func appendObject(buf []byte, obj any) ([]byte, error) {
	switch o := obj.(type) {
	case *unstructured.Unstructured:
		return appendValue(append(buf, savedJSON), o.Object)
	case message:
		at := len(buf) + 1
		size := o.Size()
		buf = slices.Grow(append(buf, savedProto), size)[:at+size]
		n, err := o.MarshalTo(buf[at:])
		if err != nil {
			return nil, fmt.Errorf("encode a %T: %w", obj, err)
		}
		return buf[:at+n], nil
	default:
		text, err := json.Marshal(obj)
		if err != nil {
			return nil, fmt.Errorf("encode a %T: %w", obj, err)
		}
		return append(append(buf, savedJSON), text...), nil
	}
}

// appendValue appends JSON that decoders make the same value of. encoding/json writes a float of 1 as an integer.
func appendValue(buf []byte, value any) (_ []byte, err error) {
	switch v := value.(type) {
	case nil:
		return append(buf, "null"...), nil
	case bool:
		return strconv.AppendBool(buf, v), nil
	case string:
		return appendString(buf, v)
	case int64:
		return strconv.AppendInt(buf, v, 10), nil
	case float64:
		return appendFloat(buf, v)
	case []any:
		buf = append(buf, '[')
		for i, item := range v {
			if i > 0 {
				buf = append(buf, ',')
			}
			if buf, err = appendValue(buf, item); err != nil {
				return nil, err
			}
		}
		return append(buf, ']'), nil
	case map[string]any:
		return appendMap(buf, v)
	default:
		return nil, fmt.Errorf("encode an unstructured object: it has a %T, which no decoder makes", value)
	}
}

func appendMap(buf []byte, fields map[string]any) (_ []byte, err error) {
	buf = append(buf, '{')
	for i, name := range slices.Sorted(maps.Keys(fields)) { // in order, so that objects resemble each other
		if i > 0 {
			buf = append(buf, ',')
		}
		if buf, err = appendString(buf, name); err != nil {
			return nil, err
		}
		if buf, err = appendValue(append(buf, ':'), fields[name]); err != nil {
			return nil, err
		}
	}
	return append(buf, '}'), nil
}

func appendFloat(buf []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("encode an unstructured object: it has the number %v", f)
	}
	at := len(buf)
	buf = strconv.AppendFloat(buf, f, 'g', -1, 64)
	if !bytes.ContainsAny(buf[at:], ".e") {
		buf = append(buf, ".0"...)
	}
	return buf, nil
}

func appendString(buf []byte, s string) ([]byte, error) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return appendOddString(buf, s)
		}
	}
	buf = append(buf, '"')
	buf = append(buf, s...)
	return append(buf, '"'), nil
}

func appendOddString(buf []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("encode an unstructured object: it has the text %q, which is not UTF-8", s)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode the text %q: %w", s, err)
	}
	return append(buf, text...), nil
}
