package wire

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// keyOf is the key that a head has.
func keyOf(head *decode.Head) delta.Key {
	return delta.Key{Namespace: string(head.Namespace), Name: string(head.Name)}
}

// keyed adds the key of the JSON object that err is about, if it can be read.
func (k *Kind) keyed(err error, data []byte) error {
	head, _ := decode.ReadHead(data, k.Namespaced)
	return listwatch.WithKey(err, keyOf(&head))
}

// keyedProto is keyed for an object in protobuf.
func (k *Kind) keyedProto(err error, data []byte) error {
	if k.codec == nil {
		return err
	}
	head, _ := k.codec.ReadProtoHead(data)
	return listwatch.WithKey(err, keyOf(&head))
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
		err = d.kind.keyed(err, data)
	}
	return obj, gvk, err
}
