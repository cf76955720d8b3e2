package wire

import (
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
)

// A Reader decodes single objects of a kind, as a list would have them: in the form in which they were decoded once, and
// sharing with the kind's Kin what is equal. It is for one goroutine.
type Reader struct{ of *objects }

// Reader returns a reader of the kind's objects.
func (k *Kind) Reader() *Reader {
	k.complete()
	return &Reader{of: k.objects()}
}

// JSON decodes an object, and keeps nothing of the bytes.
func (r *Reader) JSON(data []byte) (runtime.Object, error) {
	got, end := r.of.json(data)
	switch {
	case got.err != nil:
		return nil, got.err
	case end != len(data):
		return nil, errors.New("it is not one whole object")
	}
	return got.obj, nil
}

// Proto decodes an object, and keeps nothing of the bytes.
func (r *Reader) Proto(data []byte) (runtime.Object, error) {
	got := r.of.proto(data)
	return got.obj, got.err
}
