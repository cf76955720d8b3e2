package imprint_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/imprint"
	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// fuzzed are the types that FuzzReader chooses from, each with an object that the records are relative to.
func fuzzed() []any {
	rng := rand.New(rand.NewPCG(1, 1))
	return []any{
		benchkit.Pods(1)[0], random(rng, reflect.TypeFor[corev1.Node]()), random(rng, reflect.TypeFor[odd]()),
		&unstructured.Unstructured{Object: entries(rng, 5)}, random(rng, reflect.TypeFor[corev1.Secret]()),
	}
}

// FuzzReader reads any bytes behind a good record. An object that is accepted can be written, and comes back; the one before
// it stays as it was.
func FuzzReader(f *testing.F) {
	firsts := fuzzed()
	for i, first := range firsts {
		rng := rand.New(rand.NewPCG(2, uint64(i))) //nolint:gosec // small
		for range 4 {
			stranger := reflect.New(reflect.TypeOf(first).Elem()).Interface()
			if _, free := first.(*unstructured.Unstructured); !free {
				stranger = random(rng, reflect.TypeOf(first).Elem())
			}
			all, ends := records(f, []any{first, next(rng, first, stranger)})
			f.Add(byte(i), all[ends[0]:]) //nolint:gosec // small
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		first := firsts[int(kind)%len(firsts)]
		all, ends := records(t, []any{first})
		r := newReader(t, first)
		known, err := r.Next(all[:ends[0]])
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Next(data)
		if !reflect.DeepEqual(known, first) {
			t.Errorf("what it is relative to has changed: %s", difference(known, first))
		}
		if err != nil {
			return
		}
		writesAgain(t, known, got)
	})
}

// writesAgain writes what was read.
func writesAgain(t *testing.T, known, got any) {
	t.Helper()
	w, r := newWriter(t, known), newReader(t, known)
	for _, obj := range []any{known, got} {
		data, err := w.Append(nil, obj)
		if err != nil {
			t.Fatal(err)
		}
		again, err := r.Next(data)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := imprintOf(again, obj); err != nil || text != "" {
			t.Errorf("it comes back as another one: %v %s", err, text)
		}
	}
}

// imprintOf returns how a differs from b, also if there are numbers in them that are not equal to themselves: a Writer
// compares their bits.
func imprintOf(a, b any) (string, error) {
	known, err := imprint.TypeOf(a)
	if err != nil {
		return "", err
	}
	w := imprint.NewWriter(known)
	if _, err := w.Append(nil, a); err != nil {
		return "", err
	}
	same := imprint.NewWriter(known)
	if _, err := same.Append(nil, a); err != nil {
		return "", err
	}
	x, err := w.Append(nil, a)
	if err != nil {
		return "", err
	}
	y, err := same.Append(nil, b)
	if err != nil || bytes.Equal(x, y) {
		return "", err
	}
	return difference(a, b), nil
}
