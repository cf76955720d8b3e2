package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
)

// listHead is what a list says of itself.
type listHead struct {
	metav1.TypeMeta
	metav1.ListMeta `json:"metadata"`
}

// jsonList reads a list item by item, as it arrives.
type jsonList struct {
	in      *window
	objects *objects
	each    func(arrival)
	head    listHead
	whole   []byte // the list without its items
	listed  bool   // the items have come
}

// maxHead is how much a list may say beside its items.
const maxHead = 4 << 20

var (
	errNoList    = errors.New("the answer is not a list")
	errLargeHead = fmt.Errorf("%w: it has more than %d MiB beside its items", errNoList, maxHead>>20)
)

// read reads the list to its end.
func (l *jsonList) read() (listHead, error) {
	err := l.members()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return l.head, err
	}
	if err := utiljson.Unmarshal(l.whole, &l.head); err != nil {
		return l.head, fmt.Errorf("read what the list says of itself: %w", err)
	}
	return l.head, nil
}

// members reads what the list consists of, in whatever order.
func (l *jsonList) members() error {
	if err := l.token('{'); err != nil {
		return err
	}
	l.whole = append(l.whole[:0], '{')
	for first := true; ; first = false {
		b, err := l.next()
		switch {
		case err != nil:
			return err
		case b == '}':
			l.in.used(1)
			l.whole = append(l.whole, '}')
			return l.rest()
		case !first && b != ',':
			return fmt.Errorf("%w: %q stands between its members", errNoList, b)
		case !first:
			l.in.used(1)
			l.whole = append(l.whole, ',')
		}
		if err := l.member(); err != nil {
			return err
		}
		if len(l.whole) > maxHead {
			return errLargeHead
		}
	}
}

// member reads a name and what it stands for.
func (l *jsonList) member() error {
	name, err := l.value()
	if err != nil {
		return err
	}
	if len(name) == 0 || name[0] != '"' {
		return fmt.Errorf("%w: a member has no name", errNoList)
	}
	items := isItems(name)
	if items && l.listed {
		return fmt.Errorf("%w: it has items twice", errNoList) // others join both, object by object
	}
	l.listed = l.listed || items
	l.whole = append(l.whole, name...)
	l.in.used(len(name))
	if err := l.token(':'); err != nil {
		return err
	}
	l.whole = append(l.whole, ':')
	b, err := l.next()
	if err != nil {
		return err
	}
	switch {
	case items && b == '[':
		l.whole = append(l.whole, "[]"...)
		return l.items()
	case items && b != 'n': // null is none
		return fmt.Errorf("%w: its items begin with %q", errNoList, b)
	}
	value, err := l.value()
	if err != nil {
		return err
	}
	l.whole = append(l.whole, value...)
	l.in.used(len(value))
	return nil
}

// isItems reports whether a member is the list's items, however its name is written.
func isItems(name []byte) bool {
	if !bytes.ContainsRune(name, '\\') {
		return string(name) == `"items"`
	}
	var plain string
	return utiljson.Unmarshal(name, &plain) == nil && plain == "items"
}

func (l *jsonList) items() error {
	l.in.used(1)
	for n := 0; ; n++ {
		b, err := l.next()
		switch {
		case err != nil:
			return err
		case b == ']':
			l.in.used(1)
			return nil
		case n > 0 && b != ',':
			return fmt.Errorf("%w: %q stands between its items", errNoList, b)
		case n > 0:
			l.in.used(1)
			if b, err = l.next(); err != nil {
				return err
			}
		}
		if b != '{' {
			return fmt.Errorf("%w: item %d begins with %q", errNoList, n, b)
		}
		if err := l.item(); err != nil {
			return fmt.Errorf("item %d: %w", n, err)
		}
	}
}

// item reads an object, which is decoded when it has come to its end.
func (l *jsonList) item() error {
	for {
		got, end := l.objects.json(l.in.bytes())
		if end > 0 {
			l.in.used(end)
			l.each(got)
			return nil
		}
		if err := l.wait(); err != nil {
			return err
		}
	}
}

// suspicious is how large an object may get before somebody looks whether it can have an end at all.
const suspicious = 4 << 20

// wait reads on, unless what has been read can't be the beginning of a value.
func (l *jsonList) wait() error {
	if len(l.in.bytes()) >= suspicious {
		if err := cannotEnd(l.in.bytes()); err != nil {
			return err
		}
	}
	err := l.in.twice()
	if errors.Is(err, io.EOF) {
		return cmp.Or(cannotEnd(l.in.bytes()), err)
	}
	return err
}

// cannotEnd returns why data can't be the beginning of a JSON value, or all of it. Unlike decode.Pass it tells an end
// that has not come from one that will never come.
func cannotEnd(data []byte) error {
	var value json.RawMessage
	err := json.NewDecoder(bytes.NewReader(data)).Decode(&value)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// next returns the first byte of the next token, which it leaves there.
func (l *jsonList) next() (byte, error) {
	for {
		data := l.in.bytes()
		for i, b := range data {
			if b != ' ' && b != '\n' && b != '\r' && b != '\t' {
				l.in.used(i)
				return b, nil
			}
		}
		l.in.used(len(data))
		if err := l.in.more(); err != nil {
			return 0, err
		}
	}
}

func (l *jsonList) token(wanted byte) error {
	b, err := l.next()
	if err == nil && b != wanted {
		err = fmt.Errorf("%w: it has %q where %q belongs", errNoList, b, wanted)
	}
	if err == nil {
		l.in.used(1)
	}
	return err
}

// value returns the next value, which it leaves there.
func (l *jsonList) value() ([]byte, error) {
	if _, err := l.next(); err != nil {
		return nil, err
	}
	for {
		// A number may go on in what has not come yet, so what stands behind it must be there, too.
		if end := decode.Pass(l.in.bytes()); end > 0 && end < len(l.in.bytes()) {
			return l.in.bytes()[:end], nil
		}
		if err := l.wait(); err != nil {
			return nil, err
		}
	}
}

// rest reads what stands behind the list, which is nothing.
func (l *jsonList) rest() error {
	for {
		if rest := bytes.TrimSpace(l.in.bytes()); len(rest) > 0 {
			return fmt.Errorf("%w: something stands behind it", errNoList)
		}
		l.in.used(len(l.in.bytes()))
		if err := l.in.more(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
