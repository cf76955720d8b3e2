package decode

import "bytes"

// maxDepth is how deep values may be nested. Others decode deeper ones.
const maxDepth = 100

// value consumes a value of any sort, which it checks as it would one that is decoded.
func (c *cursor) value(depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch c.peek() {
	case '"':
		_, ok := c.text()
		return ok
	case '{':
		return c.members('}', depth)
	case '[':
		return c.members(']', depth)
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	}
	_, _, ok := c.number()
	return ok
}

// members consumes an object or an array.
func (c *cursor) members(end byte, depth int) bool {
	c.pos++
	if c.take(end) {
		return true
	}
	for {
		if end == '}' {
			if _, ok := c.text(); !ok || !c.take(':') {
				return false
			}
		}
		if !c.value(depth + 1) {
			return false
		}
		if more, ok := c.more(end); !more {
			return ok
		}
	}
}

// raw consumes a value and returns its text.
func (c *cursor) raw(depth int) ([]byte, bool) {
	c.peek()
	begin := c.pos
	ok := c.value(depth)
	return c.data[begin:c.pos], ok
}

// pass goes over a value without a look at what is in it: it finds the end of a value that is in order, and some
// place or none in one that is not.
func (c *cursor) pass() bool {
	switch c.peek() {
	case '"', '{', '[':
	default:
		return c.value(0)
	}
	var look Scan
	end := look.End(c.data[c.pos:])
	c.pos += end
	return end > 0
}

// ends is what a Scan stops at.
var ends = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true}

// Scan looks for the end of a JSON object, array or text, also while it arrives. It looks at each byte once, however
// often more come. Of a value that is in no order it finds some end, or none.
type Scan struct {
	seen   int // bytes that were looked at
	depth  int // brackets that are open there
	inText bool
}

// End returns where the value at the beginning of data ends, and 0 if it goes on behind data. The bytes that were
// seen are there once more, and others may have come.
func (s *Scan) End(data []byte) int {
	i, depth, inText := s.seen, s.depth, s.inText
	for i < len(data) {
		if inText {
			n := bytes.IndexByte(data[i:], '"')
			if n < 0 {
				break
			}
			i += n + 1
			slashes := 0
			for data[i-2-slashes] == '\\' { // the quote that begins the text ends this
				slashes++
			}
			inText = slashes%2 == 1
		} else {
			b := data[i]
			i++
			switch {
			case !ends[b]:
				continue
			case b == '"':
				inText = true
			case b == '{', b == '[':
				depth++
			default:
				depth--
			}
		}
		if depth <= 0 && !inText {
			*s = Scan{seen: i}
			return i
		}
	}
	*s = Scan{len(data), depth, inText}
	return 0
}
