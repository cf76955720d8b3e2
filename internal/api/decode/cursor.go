package decode

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// cursor reads JSON text from front to back. Its methods report false for whatever they don't know for
// certain, also where other readers are lenient: the caller then leaves the text to one of them.
type cursor struct {
	data []byte
	pos  int
	// scratch has the last text that had escapes, without them.
	scratch []byte
}

// peek returns the first byte of the next token, and 0 at the end.
func (c *cursor) peek() byte {
	for c.pos < len(c.data) {
		b := c.data[c.pos]
		if b > ' ' {
			return b
		}
		if b != ' ' && b != '\n' && b != '\r' && b != '\t' {
			return 0
		}
		c.pos++
	}
	return 0
}

// take consumes the next token if it is this one byte.
func (c *cursor) take(b byte) bool {
	if c.peek() != b {
		return false
	}
	c.pos++
	return true
}

// more reads what stands behind a member of an object or array that ends with end. It returns true, true
// behind a comma.
func (c *cursor) more(end byte) (more, ok bool) {
	switch c.peek() {
	case ',':
		c.pos++
		return true, true
	case end:
		c.pos++
		return false, true
	}
	return false, false
}

// word consumes a literal.
func (c *cursor) word(w string) bool {
	if len(c.data)-c.pos < len(w) || string(c.data[c.pos:c.pos+len(w)]) != w {
		return false
	}
	c.pos += len(w)
	return true
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain returns where the first byte is, from i on, that is not simply part of a text: a quote, a backslash, a
// control character, or a byte that is not ASCII.
func (c *cursor) plain(i int) int {
	data := c.data
	for i+8 <= len(data) {
		w := binary.LittleEndian.Uint64(data[i:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// A subtraction may borrow from the byte above, but never for the lowest byte that is found.
		odd := ((w-ones*0x20)&^w | (quote-ones)&^quote | (slash-ones)&^slash | w) & highs
		if odd != 0 {
			return i + bits.TrailingZeros64(odd)/8
		}
		i += 8
	}
	for i < len(data) && isPlain[data[i]] {
		i++
	}
	return i
}

var isPlain = func() (plain [256]bool) {
	for b := 0x20; b < 0x80; b++ {
		plain[b] = b != '"' && b != '\\'
	}
	return plain
}()

// text consumes a string. The result is good until the next call.
func (c *cursor) text() ([]byte, bool) {
	if c.peek() != '"' {
		return nil, false
	}
	begin := c.pos + 1
	i := c.plain(begin)
	if i >= len(c.data) {
		return nil, false
	}
	if c.data[i] == '"' {
		c.pos = i + 1
		return c.data[begin:i], true
	}
	return c.oddText(begin, i)
}

// plainText consumes a string without escapes. It stays good as long as the data.
func (c *cursor) plainText() ([]byte, bool) {
	if c.peek() != '"' {
		return nil, false
	}
	begin := c.pos + 1
	end := c.plain(begin)
	if end >= len(c.data) || c.data[end] != '"' {
		return nil, false
	}
	c.pos = end + 1
	return c.data[begin:end], true
}

// oddText is text for a string that has something in it, at i, that is not plain.
func (c *cursor) oddText(begin, i int) ([]byte, bool) {
	c.scratch = append(c.scratch[:0], c.data[begin:i]...)
	ascii := true
	for i < len(c.data) {
		switch b := c.data[i]; {
		case b == '"':
			c.pos = i + 1
			return c.scratch, ascii || utf8.Valid(c.scratch)
		case b == '\\':
			var ok bool
			if i, ok = c.escape(i + 1); !ok {
				return nil, false
			}
		case b < 0x20:
			return nil, false
		default:
			end := c.plain(i)
			for end < len(c.data) && c.data[end] >= utf8.RuneSelf {
				end++
				ascii = false
			}
			c.scratch = append(c.scratch, c.data[i:end]...)
			i = end
		}
	}
	return nil, false
}

var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape adds to scratch the character that an escape stands for. It begins at i. escape returns where it
// ends. Halves of a pair of surrogates are left to others, because readers differ about a lone one.
func (c *cursor) escape(i int) (int, bool) {
	if i >= len(c.data) {
		return 0, false
	}
	if b := escaped[c.data[i]]; b != 0 {
		c.scratch = append(c.scratch, b)
		return i + 1, true
	}
	if c.data[i] != 'u' || i+5 > len(c.data) {
		return 0, false
	}
	r, err := strconv.ParseUint(string(c.data[i+1:i+5]), 16, 16)
	if err != nil || utf16.IsSurrogate(rune(r)) {
		return 0, false
	}
	c.scratch = utf8.AppendRune(c.scratch, rune(r))
	return i + 5, true
}

// number consumes a number, and reports whether it is written as an integer.
func (c *cursor) number() (text []byte, whole, ok bool) {
	c.peek()
	begin, i := c.pos, c.pos
	data := c.data
	if i < len(data) && data[i] == '-' {
		i++
	}
	if i < len(data) && data[i] == '0' {
		i++
	} else if i, ok = digits(data, i); !ok {
		return nil, false, false
	}
	whole = true
	if i < len(data) && data[i] == '.' {
		whole = false
		if i, ok = digits(data, i+1); !ok {
			return nil, false, false
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		whole = false
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if i, ok = digits(data, i); !ok {
			return nil, false, false
		}
	}
	c.pos = i
	return data[begin:i], whole, true
}

// digits goes over digits. There must be one at least.
func digits(data []byte, i int) (end int, ok bool) {
	end = i
	for end < len(data) && data[end] >= '0' && data[end] <= '9' {
		end++
	}
	return end, end > i
}
