package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// protoPrefix begins each object in protobuf.
const protoPrefix = "k8s\x00"

// The numbers of the fields of runtime.Unknown, which is wrapped around an object, and of all lists.
const (
	unknownRaw   = 2
	listMetadata = 1
	listItems    = 2
)

// protoList reads a list item by item, as it arrives.
type protoList struct {
	in      *window
	read    int // bytes since the beginning
	objects *objects
	each    func(arrival)
	head    listHead
}

// list reads the list to its end.
func (l *protoList) list() (listHead, error) {
	err := l.unwrap()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return l.head, err
}

// unwrap reads what is wrapped around the list, and the list.
func (l *protoList) unwrap() error {
	prefix, err := l.take(len(protoPrefix))
	if err != nil {
		return err
	}
	if string(prefix) != protoPrefix {
		return fmt.Errorf("%w: it is not in protobuf", errNoList)
	}
	var around []byte // all but the list
	for came := false; ; {
		number, size, err := l.field()
		switch {
		case errors.Is(err, io.EOF) && came:
			return l.describe(around)
		case err != nil:
			return err
		case number == unknownRaw && came:
			return fmt.Errorf("%w: it comes twice", errNoList)
		case number == unknownRaw:
			if err := l.fields(l.read + size); err != nil {
				return err
			}
			came = true
			continue
		}
		value, err := l.take(size)
		if err != nil {
			return err
		}
		around = binary.AppendUvarint(around, uint64(number)<<3|protoBytes)   //nolint:gosec // it was read as one
		around = append(binary.AppendUvarint(around, uint64(size)), value...) //nolint:gosec // the same
		if len(around) > maxHead {
			return errLargeHead
		}
	}
}

// describe notes what stands around the list.
func (l *protoList) describe(around []byte) error {
	var unknown runtime.Unknown
	if err := unknown.Unmarshal(around); err != nil {
		return fmt.Errorf("read what is wrapped around the list: %w", err)
	}
	if unknown.ContentEncoding != "" {
		return fmt.Errorf("%w: it has the unknown encoding %q", errNoList, unknown.ContentEncoding)
	}
	l.head.TypeMeta = metav1.TypeMeta{APIVersion: unknown.APIVersion, Kind: unknown.Kind}
	return nil
}

// fields reads the list itself, which ends after so many bytes.
func (l *protoList) fields(end int) error {
	for l.read < end {
		number, size, err := l.field()
		if err != nil {
			return err
		}
		if size > end-l.read {
			return fmt.Errorf("%w: a field is longer than the list", errNoList)
		}
		value, err := l.take(size)
		if err != nil {
			return err
		}
		switch number {
		case listMetadata:
			if err := l.head.ListMeta.Unmarshal(value); err != nil {
				return fmt.Errorf("read the metadata of the list: %w", err)
			}
		case listItems:
			l.each(l.objects.proto(value))
		}
	}
	return nil
}

// protoBytes is the type of all fields here.
const protoBytes = 2

// field reads which field comes, and how many bytes it has.
func (l *protoList) field() (number, size int, err error) {
	begin := l.read
	tag, err := binary.ReadUvarint(l)
	if err != nil {
		return 0, 0, err
	}
	n, err := binary.ReadUvarint(l)
	switch {
	case errors.Is(err, io.EOF):
		return 0, 0, io.ErrUnexpectedEOF
	case err != nil:
		return 0, 0, err
	case tag&7 != protoBytes || tag>>3 == 0 || tag>>3 > 1<<20 || n > min(maxWindow<<10, math.MaxInt/2):
		return 0, 0, fmt.Errorf("%w: byte %d begins no field of one", errNoList, begin)
	}
	return int(tag >> 3), int(n), nil //nolint:gosec // compared above
}

// ReadByte consumes one byte.
func (l *protoList) ReadByte() (byte, error) {
	one, err := l.take(1)
	if err != nil {
		return 0, err
	}
	return one[0], nil
}

// take consumes n bytes, which are good until the next call.
func (l *protoList) take(n int) ([]byte, error) {
	if n > maxWindow {
		return nil, errTooLarge
	}
	if err := l.in.atLeast(n); err != nil {
		return nil, err
	}
	taken := l.in.bytes()[:n:n]
	l.in.used(n)
	l.read += n
	return taken, nil
}
