package wire

import (
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Kind says what is listed and watched, and what is known of it already.
type Kind struct {
	// GVK is the kind that the server is asked for.
	GVK schema.GroupVersionKind
	// Example is an object as it is to be made: of a Go type, unstructured, or metadata alone.
	Example runtime.Object
	// Namespaced is whether objects of the kind are in namespaces.
	Namespaced bool

	// Known returns the object as readers see it now. Nil if nothing is known.
	Known func(delta.Key) (any, bool)
	// Kin finds objects to share memory with. Nil if nothing may be shared, because objects are changed when
	// they have arrived.
	Kin Kin

	codec *decode.Type            // nil if others decode
	sent  schema.GroupVersionKind // what objects say that they are
}

// complete fills in what follows from the rest.
func (k *Kind) complete() {
	k.sent = k.GVK
	if k.metadata() {
		k.sent = metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")
	}
	if codec, err := decode.TypeOf(k.Example); err == nil {
		k.codec = codec
	}
}

// isSent reports whether objects of the kind are sent as what is named.
func (k *Kind) isSent(apiVersion, kind string) bool {
	version, name := k.sent.ToAPIVersionAndKind()
	return kind == name && apiVersion == version
}

// free reports whether objects are of no Go type.
func (k *Kind) free() bool {
	_, free := k.Example.(*unstructured.Unstructured)
	return free
}

// metadata reports whether objects are metadata alone.
func (k *Kind) metadata() bool {
	_, metadata := k.Example.(*metav1.PartialObjectMetadata)
	return metadata
}

// strip removes the kind from an object of a Go type, as client-go's decoders do.
func (k *Kind) strip(obj runtime.Object) {
	if !k.free() {
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
}

// name gives an unstructured object of a list its kind, which is left out where it follows from the list's.
func (k *Kind) name(obj runtime.Object) {
	u, ok := obj.(*unstructured.Unstructured)
	if ok && u.GetKind() == "" && u.GetAPIVersion() == "" {
		u.SetGroupVersionKind(k.GVK)
	}
}

// fromJSON makes an object of a list.
func (k *Kind) fromJSON(data []byte) (runtime.Object, error) {
	obj := k.empty()
	var into any = obj
	if u, ok := obj.(*unstructured.Unstructured); ok {
		into = &u.Object
	}
	if err := json.Unmarshal(data, into); err != nil {
		head, _ := decode.ReadHead(data, k.Namespaced)
		return nil, k.undecoded(err, &head)
	}
	return obj, nil
}

// fromProto is fromJSON for an object in protobuf.
func (k *Kind) fromProto(data []byte) (runtime.Object, error) {
	obj := k.empty()
	into, ok := obj.(interface{ Unmarshal([]byte) error })
	var err error
	if !ok {
		err = fmt.Errorf("the server sends protobuf, which %T can't be made of", obj)
	} else if err = into.Unmarshal(data); err == nil {
		return obj, nil
	}
	var head decode.Head
	if k.codec != nil {
		head, _ = k.codec.ReadProtoHead(data)
	}
	return nil, k.undecoded(err, &head)
}

func (k *Kind) empty() runtime.Object {
	return reflect.New(reflect.TypeOf(k.Example).Elem()).Interface().(runtime.Object)
}

// undecoded tells which object an error is about, if it can be found out.
func (k *Kind) undecoded(err error, head *decode.Head) error {
	key, about := keyOf(head), k.GVK.Kind
	if key.Name != "" {
		about += " " + strings.TrimPrefix(key.String(), "/")
	}
	return listwatch.WithKey(fmt.Errorf("decode a %s: %w", about, err), key)
}

// keyOf is the key that a head has.
func keyOf(head *decode.Head) delta.Key {
	return delta.Key{Namespace: string(head.Namespace), Name: string(head.Name)}
}

// keyedDecoder is a decoder of JSON whose errors have the key of the object.
type keyedDecoder struct {
	runtime.Decoder
	kind *Kind
}

// Decode is that of the decoder.
func (d keyedDecoder) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, gvk, err := d.Decoder.Decode(data, defaults, into)
	if err != nil {
		head, _ := decode.ReadHead(data, d.kind.Namespaced)
		err = listwatch.WithKey(err, keyOf(&head))
	}
	return obj, gvk, err
}
