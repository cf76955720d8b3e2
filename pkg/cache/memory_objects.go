package cache

import (
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/delta-runtime/delta-runtime/internal/imprint"
	"github.com/delta-runtime/delta-runtime/internal/wire"
)

// imprints returns how the kind's objects are written as what they differ in. It is nil if their type can't be written so, and
// if they may not share memory, which they do when they are read.
func (r *remembered) imprints() *imprint.Type {
	if r.of.kin == nil {
		return nil
	}
	known, err := imprint.TypeOf(r.of.example)
	if err != nil {
		return nil
	}
	return known
}

// Encoder is memory.Kind's. A transform may have made something else of an object.
func (r *remembered) Encoder() func(buf []byte, obj any) ([]byte, error) {
	var writer *imprint.Writer
	if known := r.imprints(); known != nil {
		writer = imprint.NewWriter(known)
	}
	return func(buf []byte, obj any) ([]byte, error) {
		if reflect.TypeOf(obj) != reflect.TypeOf(r.of.example) {
			return nil, fmt.Errorf("the cache has a %T, and not a %T: a transform has made something of it that can't be read again", obj, r.of.example)
		}
		if writer != nil {
			if data, err := writer.Append(append(buf, savedImprint), obj); err == nil {
				return data, nil
			}
		}
		return appendObject(buf, obj) // which can write more
	}
}

// decoder returns what makes objects of what was saved.
func (r *remembered) decoder() func([]byte) (any, error) {
	others := r.wholeDecoder()
	var reader *imprint.Reader
	if known := r.imprints(); known != nil {
		reader = imprint.NewReader(known)
	}
	return func(data []byte) (any, error) {
		switch {
		case len(data) == 0:
			return nil, errors.New("it is empty")
		case data[0] != savedImprint:
			return others(data)
		case reader == nil:
			return nil, errors.New("it is written as what it differs in, and may not share memory")
		}
		obj, err := reader.Next(data[1:])
		if err == nil {
			r.of.kin.Keep(obj)
		}
		return obj, err
	}
}

// wholeDecoder is decoder for objects that are there as a whole.
func (r *remembered) wholeDecoder() func([]byte) (any, error) {
	k := r.of
	about := wire.Kind{GVK: k.id.gvk, Example: k.example, Namespaced: k.madeAs == meta.RESTScopeNameNamespace}
	if k.kin != nil {
		about.Kin = k.kin
	}
	reader := about.Reader()
	return func(data []byte) (any, error) {
		read := reader.JSON
		if data[0] == savedProto {
			read = reader.Proto
		}
		obj, err := read(data[1:])
		if err != nil {
			return nil, err
		}
		if k.id.form == metadataForm {
			obj.GetObjectKind().SetGroupVersionKind(k.id.gvk)
		}
		return obj, nil
	}
}
