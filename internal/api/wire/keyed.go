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
