package decode_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
)

// A subject is a type whose decoder is held against apimachinery's.
type subject struct {
	typ     reflect.Type // of the object, not of a pointer to it
	decoder *decode.Decoder
	codec   *decode.Type
}

// newSubject returns the subject for objects like example, which has to be a type that is decoded here.
func newSubject(t testing.TB, example any) *subject {
	t.Helper()
	codec, err := decode.TypeOf(example)
	must(t, err)
	return &subject{typ: reflect.TypeOf(example).Elem(), codec: codec, decoder: codec.NewDecoder()}
}

// form is a way to write an object.
type form struct {
	name string
	// decode is what is tested.
	decode func(s *subject, data []byte, like any) (obj any, end int, ok bool)
	// judge is what others make of the same bytes.
	judge func(s *subject, data []byte) (any, error)
}

var (
	asJSON  = form{"JSON", decodeJSON, judgeJSON}
	asProto = form{"protobuf", decodeProto, judgeProto}
)

func decodeJSON(s *subject, data []byte, like any) (obj any, end int, ok bool) {
	return s.decoder.JSON(data, like)
}

func judgeJSON(s *subject, data []byte) (any, error) {
	if s.typ == reflect.TypeFor[unstructured.Unstructured]() {
		var content map[string]any
		err := utiljson.Unmarshal(data, &content)
		return &unstructured.Unstructured{Object: content}, err
	}
	obj := reflect.New(s.typ).Interface()
	err := utiljson.Unmarshal(data, obj)
	return obj, err
}

func decodeProto(s *subject, data []byte, like any) (obj any, end int, ok bool) {
	obj, ok = s.decoder.Proto(data, like)
	return obj, len(data), ok
}

func judgeProto(s *subject, data []byte) (any, error) {
	obj := reflect.New(s.typ).Interface()
	err := obj.(interface{ Unmarshal(data []byte) error }).Unmarshal(data)
	return obj, err
}

// holds checks the promise for some bytes, against nothing, against each of likes and against what the judge makes of
// them. It reports whether the decoder accepts them like nothing, and then it has to like anything.
func (s *subject) holds(t testing.TB, f form, data []byte, likes ...any) (accepted bool) {
	t.Helper()
	likes = append([]any{nil}, likes...)
	if want, err := f.judge(s, data); err == nil {
		likes = append(likes, want)
	}
	for i, like := range likes {
		before := duplicate(like)
		s.soil(f, data, like)
		ok := s.holdsAgainst(t, f, data, like)
		if i == 0 {
			accepted = ok
		}
		if accepted && !ok {
			t.Errorf("%s of %v: it is refused like %+v\n%q", f.name, s.typ, like, data)
		}
		if !reflect.DeepEqual(like, before) {
			t.Errorf("%s of %v: what it was to be like is changed to\n%+v from\n%+v by\n%q", f.name, s.typ, like, before, data)
		}
		if t.Failed() {
			return accepted
		}
	}
	return accepted
}

// soil leaves the decoder in the middle of something, again and again.
func (s *subject) soil(f form, data []byte, like any) {
	for _, n := range []int{len(data) / 3, len(data) * 2 / 3, len(data) - 1} {
		if n > 0 {
			f.decode(s, data[:n:n], like)
			spoiled := bytes.Clone(data)
			spoiled[n] ^= 0x15
			f.decode(s, spoiled, like)
		}
	}
}

func (s *subject) holdsAgainst(t testing.TB, f form, data []byte, like any) (accepted bool) {
	t.Helper()
	buffer := slices.Clip(bytes.Clone(data)) // who reads behind its end panics
	obj, end, ok := f.decode(s, buffer, like)
	if !ok {
		return false
	}
	if !bytes.Equal(buffer, data) {
		t.Fatalf("%s of %v: the bytes were changed: %q", f.name, s.typ, data)
	}
	want, err := f.judge(s, bytes.Clone(data[:end]))
	if err != nil {
		t.Errorf("%s of %v: others refuse %q: %v", f.name, s.typ, data[:end], err)
		return true
	}
	compare := func(when string) {
		t.Helper()
		s.compare(t, data, [2]any{obj, want}, f.name+", "+when)
	}
	compare("decoded")
	for i := range buffer {
		buffer[i] = 0xA5
	}
	compare("after the bytes are gone")
	s.soil(f, data, nil)
	f.decode(s, data, obj)
	compare("after others are decoded")
	return true
}

// compare takes two objects. The second is wanted.
func (s *subject) compare(t testing.TB, data []byte, pair [2]any, when string) {
	t.Helper()
	got, want := pair[0], pair[1]
	// DeepEqual sees no signs of zeros.
	if !t.Failed() && (!reflect.DeepEqual(got, want) || bytes.Contains(data, []byte("-0")) && printed(got) != printed(want)) {
		t.Errorf("%v in %s: (-got +want)\n%s of\n%q", s.typ, when, difference(got, want), data)
	}
}

// difference says what differs between two objects, wherever it is.
func difference(a, b any) string {
	return cmp.Diff(a, b, cmp.Exporter(func(reflect.Type) bool { return true }), cmp.FilterPath(func(p cmp.Path) bool {
		return p.Last().Type() == reflect.TypeFor[*time.Location]()
	}, cmp.Ignore()))
}

func printed(obj any) string {
	text, err := json.Marshal(obj)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// duplicate copies all that can be reached, as far as it is exported.
func duplicate(obj any) any {
	if obj == nil {
		return nil
	}
	return copied(reflect.ValueOf(obj)).Interface()
}

func copied(v reflect.Value) reflect.Value {
	made := reflect.New(v.Type()).Elem()
	made.Set(v)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			made.Set(reflect.New(v.Type().Elem()))
			made.Elem().Set(copied(v.Elem()))
		}
	case reflect.Interface:
		if !v.IsNil() {
			made.Set(copied(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			made.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				made.Index(i).Set(copied(v.Index(i)))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			made.Set(reflect.MakeMap(v.Type()))
			for key, value := range v.Seq2() {
				made.SetMapIndex(key, copied(value))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			made.Index(i).Set(copied(v.Index(i)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				made.Field(i).Set(copied(v.Field(i)))
			}
		}
	default:
	}
	return made
}
