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

// ends is what the fast way over a value stops at.
var ends = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true}

// pass goes over a value without a look at what is in it: it finds the end of a value that is in order, and some
// place or none in one that is not.
func (c *cursor) pass() bool {
	switch c.peek() {
	case '"':
		return c.passText()
	case '{', '[':
	default:
		return c.value(0)
	}
	data, depth, i := c.data, 0, c.pos
	for i < len(data) {
		b := data[i]
		if !ends[b] {
			i++
			continue
		}
		switch b {
		case '"':
			c.pos = i
			if !c.passText() {
				return false
			}
			i = c.pos
			continue
		case '{', '[':
			depth++
		default:
			if depth--; depth == 0 {
				c.pos = i + 1
				return true
			}
		}
		i++
	}
	return false
}

// passText goes over a string.
func (c *cursor) passText() bool {
	for i := c.pos + 1; i < len(c.data); {
		n := bytes.IndexByte(c.data[i:], '"')
		if n < 0 {
			return false
		}
		end := i + n
		slashes := 0
		for j := end - 1; j >= c.pos+1 && c.data[j] == '\\'; j-- {
			slashes++
		}
		i = end + 1
		if slashes%2 == 0 {
			c.pos = i
			return true
		}
	}
	return false
}
