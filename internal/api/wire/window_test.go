package wire

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// TestWindow uses a stream in pieces of any size. The same bytes come out that went in.
func TestWindow(t *testing.T) {
	seeds.Run(t, 100, func(t *testing.T, rng *rand.Rand) {
		sent := make([]byte, rng.IntN(200<<10))
		for i := range sent {
			sent[i] = byte(rng.IntN(256)) //nolint:gosec // a byte
		}
		var from io.Reader = bytes.NewReader(sent)
		if rng.IntN(2) == 0 {
			from = iotest.HalfReader(from)
		}
		if rng.IntN(2) == 0 {
			from = iotest.DataErrReader(from)
		}
		w := newWindow(from, 1+rng.IntN(100))
		var got []byte
		for {
			var err error
			switch rng.IntN(3) {
			case 0:
				err = w.more()
			case 1:
				err = w.atLeast(1 + rng.IntN(5000))
			default:
				err = w.twice()
			}
			n := rng.IntN(len(w.bytes()) + 1)
			if err != nil {
				n = len(w.bytes())
			}
			got = append(got, w.bytes()[:n]...)
			w.used(n)
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatal(err)
				}
				break
			}
		}
		if !bytes.Equal(got, sent) {
			t.Fatalf("%d bytes came out, %d went in, and they differ", len(got), len(sent))
		}
	})
}

// TestWindowLetsGoOfWhatIsLarge reads an object of some megabytes, and then a small one.
func TestWindowLetsGoOfWhatIsLarge(t *testing.T) {
	const large = 3 * keptWindow
	w := newWindow(bytes.NewReader(make([]byte, large+10)), firstWindow)
	must(t, w.atLeast(large))
	w.used(len(w.bytes()))
	if cap(w.buf) > keptWindow {
		t.Errorf("%d bytes are kept", cap(w.buf))
	}
}

// endless is a stream that never ends.
type endless struct{}

func (endless) Read(into []byte) (int, error) { return len(into), nil }

// TestWindowIsBounded reads what has no end.
func TestWindowIsBounded(t *testing.T) {
	w := newWindow(endless{}, 1<<20)
	if err := w.atLeast(maxWindow + 1); !errors.Is(err, errTooLarge) {
		t.Errorf("it ends with %v", err)
	}
}

// TestWindowTellsAnEndFromACut reads to the end and behind it.
func TestWindowTellsAnEndFromACut(t *testing.T) {
	w := newWindow(bytes.NewReader([]byte("abc")), 1)
	if err := w.atLeast(4); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("in the middle: %v", err)
	}
	w.used(3)
	if err := w.atLeast(1); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
	if err := newWindow(idle{}, 1).more(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that does nothing: %v", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }
