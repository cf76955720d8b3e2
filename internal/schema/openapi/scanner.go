package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

const (
	// deepest is how many objects and lists may be within each other. A custom kind may have
	// no more than some hundred.
	deepest = 1000
	// longest is how long a name, a reference and a number may be.
	longest = 64 << 10
)

// errEnd is what a scanner fails with at the end.
var errEnd = errors.New("the document ends too early")

// scanner reads JSON from a stream, and keeps of it what it is asked for. The first error
// ends it: from then on all its answers are empty, and err says why. So who asks looks for the
// error once, at the end.
type scanner struct {
	from    io.Reader
	buffer  []byte
	at, end int   // of what is read and not used
	before  int64 // the bytes that were in the buffer earlier

	err   error
	depth int
	word  []byte            // the last text or number that was asked for
	names map[string]string // each text that was kept, once
	// skipMember and skipValue skip what they are called for. They are made once.
	skipMember, skipValue func()

	parts  *pool
	fields []schema.StructField // of the schemas that are being read: those of the innermost one come last
}

func newScanner(from io.Reader) *scanner {
	s := &scanner{from: from, buffer: make([]byte, 32<<10), names: map[string]string{}, parts: newPool(nil)}
	s.skipValue = s.skip
	s.skipMember = func() {
		s.quoted(nil)
		s.want(':')
		s.skip()
	}
	return s
}

// fail ends the scanner.
func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("at byte %d: %w", s.before+int64(s.at), fmt.Errorf(format, args...))
	}
}

// more reports whether there is a byte that is not used, and reads on for it.
func (s *scanner) more() bool {
	for s.err == nil && s.at == s.end {
		s.before += int64(s.end)
		n, err := s.from.Read(s.buffer)
		s.at, s.end = 0, n
		switch {
		case n > 0: // the error comes again
		case errors.Is(err, io.EOF):
			s.fail("%w", errEnd)
		case err != nil:
			s.fail("%w", err)
		}
	}
	return s.err == nil
}

// peek is the next byte that is not a space; it is zero after an error.
func (s *scanner) peek() byte {
	for s.more() {
		switch c := s.buffer[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// want uses a byte.
func (s *scanner) want(c byte) {
	if got := s.peek(); got == c {
		s.at++
	} else {
		s.fail("there is %q instead of %q", got, c)
	}
}

// ends fails if anything but spaces is left.
func (s *scanner) ends() {
	if s.err != nil {
		return
	}
	if got := s.peek(); s.err == nil {
		s.fail("there is %q after the end", got)
	} else if errors.Is(s.err, errEnd) {
		s.err = nil
	}
}

// object calls each for each member of an object: it reads the key and the value. Null is an
// object without members.
func (s *scanner) object(each func()) { s.within('{', '}', each) }

// list calls each for each value of a list. Null is a list without values.
func (s *scanner) list(each func()) { s.within('[', ']', each) }

func (s *scanner) within(begin, end byte, each func()) {
	if s.peek() == 'n' {
		s.literal()
		return
	}
	s.want(begin)
	if s.depth++; s.depth > deepest {
		s.fail("there are more than %d objects and lists within each other", deepest)
	}
	defer func() { s.depth-- }()
	if s.peek() == end {
		s.at++
		return
	}
	for s.err == nil {
		each()
		if s.peek() == end {
			s.at++
			return
		}
		s.want(',')
	}
}

// key is the name of a member.
func (s *scanner) key() string {
	name := s.text()
	s.want(':')
	return name
}

// text is a text that is kept.
func (s *scanner) text() string {
	text, long := s.anyText()
	if long {
		s.fail("a text has more than %d bytes", longest)
	}
	return text
}

// anyText is a text that is kept unless it is too long.
func (s *scanner) anyText() (text string, long bool) {
	s.word = s.word[:0]
	escaped := s.quoted(func(part []byte) {
		if long = long || len(s.word)+len(part) > longest; !long {
			s.word = append(s.word, part...)
		}
	})
	switch {
	case s.err != nil || long:
		return "", long
	case escaped || bytes.ContainsFunc(s.word, func(c rune) bool { return c >= 0x80 }):
		var text string
		if err := json.Unmarshal([]byte(`"`+string(s.word)+`"`), &text); err != nil {
			s.fail("%w", err)
		}
		return text, false
	}
	known, ok := s.names[string(s.word)]
	if !ok {
		known = string(s.word)
		s.names[known] = known
	}
	return known, false
}

// quoted reads a text and hands it out in parts, as it is written.
func (s *scanner) quoted(part func([]byte)) (escaped bool) {
	keep := func(n int) {
		if part != nil {
			part(s.buffer[s.at : s.at+n])
		}
		s.at += n
	}
	s.want('"')
	for s.more() {
		rest := s.buffer[s.at:s.end]
		plain := 0
		for plain < len(rest) && rest[plain] != '"' && rest[plain] != '\\' && rest[plain] >= ' ' {
			plain++
		}
		keep(plain)
		switch {
		case plain == len(rest):
		case rest[plain] == '"':
			s.at++
			return escaped
		case rest[plain] == '\\':
			escaped = true
			keep(1)
			s.escape(keep)
		default:
			s.fail("there is %q in a text", rest[plain])
		}
	}
	return escaped
}

// escape reads what comes after a backslash.
func (s *scanner) escape(keep func(int)) {
	if !s.more() {
		return
	}
	c := s.buffer[s.at]
	keep(1)
	if c != 'u' {
		if strings.IndexByte(`"\/bfnrt`, c) < 0 {
			s.fail("there is %q after a backslash", c)
		}
		return
	}
	for range 4 {
		if !s.more() {
			return
		}
		if c := s.buffer[s.at]; strings.IndexByte("0123456789abcdefABCDEF", c) < 0 {
			s.fail("there is %q in the number of a character", c)
		}
		keep(1)
	}
}

// literal reads a number, true, false or null. The bytes that it returns are good until the next call.
func (s *scanner) literal() []byte {
	s.peek()
	s.word = s.word[:0]
	for s.more() {
		c := s.buffer[s.at]
		if strings.IndexByte(" \t\r\n,:]}[{\"", c) >= 0 {
			break
		}
		if s.word = append(s.word, c); len(s.word) > longest {
			s.fail("a number has more than %d bytes", longest)
		}
		s.at++
	}
	if s.err == nil && !json.Valid(s.word) {
		s.fail("%.20q is not a value", s.word)
	}
	return s.word
}

// skip reads a value of any kind and keeps nothing.
func (s *scanner) skip() {
	switch s.peek() {
	case '{':
		s.object(s.skipMember)
	case '[':
		s.list(s.skipValue)
	case '"':
		s.quoted(nil)
	default:
		s.literal()
	}
}
