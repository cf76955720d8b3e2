package wire

import (
	"errors"
	"fmt"
	"io"
)

const (
	// firstWindow is how much room there is at first. Most objects fit.
	firstWindow = 16 << 10
	// wideWindow is how much room a list gets, which comes without a pause.
	wideWindow = 128 << 10
	// keptWindow is how much room is kept once something larger is done with.
	keptWindow = 1 << 20
	// maxWindow is how much one object may take. No API server stores a hundredth of that.
	maxWindow = 256 << 20
)

var errTooLarge = fmt.Errorf("the server sends an object of more than %d MiB", maxWindow>>20)

// window is the part of a stream that has been read and not been used.
type window struct {
	from io.Reader
	buf  []byte
	done int   // bytes of buf that have been used
	err  error // of from; sticks
}

func newWindow(from io.Reader, size int) *window {
	return &window{from: from, buf: make([]byte, 0, size)}
}

// bytes returns what has been read and not been used. It is good until the next call of more or used.
func (w *window) bytes() []byte { return w.buf[w.done:] }

// used says that n bytes are done with.
func (w *window) used(n int) {
	w.done += n
	if w.done < len(w.buf) {
		return
	}
	w.buf, w.done = w.buf[:0], 0
	if cap(w.buf) > keptWindow {
		w.buf = make([]byte, 0, wideWindow)
	}
}

// more reads at least one byte more.
func (w *window) more() error {
	if w.err != nil {
		return w.err
	}
	w.makeRoom()
	if len(w.buf) == cap(w.buf) {
		return errTooLarge
	}
	for range 100 {
		n, err := w.from.Read(w.buf[len(w.buf):cap(w.buf)])
		w.buf = w.buf[:len(w.buf)+n]
		w.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// makeRoom sees to it that there is room behind what has been read, unless there is too much already.
func (w *window) makeRoom() {
	if w.done > 0 && (w.done == len(w.buf) || cap(w.buf)-len(w.buf) < cap(w.buf)/4) {
		w.buf = append(w.buf[:0], w.bytes()...)
		w.done = 0
	}
	if len(w.buf) == cap(w.buf) && cap(w.buf) < maxWindow {
		w.buf = append(make([]byte, 0, 2*cap(w.buf)), w.buf...)
	}
}

// atLeast reads until there are n bytes. It returns io.EOF if there is nothing, and io.ErrUnexpectedEOF if the
// stream ends in the middle.
func (w *window) atLeast(n int) error {
	for len(w.bytes()) < n {
		if err := w.more(); err != nil {
			if errors.Is(err, io.EOF) && len(w.bytes()) > 0 {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

// twice reads until there is twice as much as there is, or the stream ends. So what is tried again and again
// while an object arrives does not cost more than twice the object.
func (w *window) twice() error {
	have := len(w.bytes())
	err := w.more()
	for err == nil && len(w.bytes()) < 2*have {
		if w.err != nil {
			return nil //nolint:nilerr // what has come is looked at first
		}
		err = w.more()
	}
	if len(w.bytes()) > have {
		return nil
	}
	return err
}
