package wire

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/decode"
	"github.com/delta-runtime/delta-runtime/internal/dedup"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Kin finds objects that have much in common.
type Kin interface {
	// Like returns an object that one of this owner is likely to be like, nil if there is none.
	Like(owner types.UID) any
	// Keep is told of a new object.
	Keep(obj any)
}

// objects makes objects of bytes. It is for one goroutine.
type objects struct {
	kind    *Kind
	decoder *decode.Decoder // nil if all go the slow way
	// trusted means that an object need not be decoded if it is known in the version that is sent.
	trusted bool
	// events means that the objects are those of a watch: each has its kind, which may be another one, and they
	// become what client-go's watches make of them. Objects of a list are of the list's kind.
	events bool
	// decode makes an object of a watch as client-go does.
	decode runtime.Decoder
}

func (k *Kind) objects() *objects {
	o := &objects{kind: k}
	if k.codec != nil {
		o.decoder = k.codec.NewDecoder()
	}
	return o
}

// arrival is an object that has come.
type arrival struct {
	obj   runtime.Object
	known bool // it is the very one that is known
	err   error
}

// json makes the object at the beginning of data. It returns where that ends, or 0 if it does not end there.
func (o *objects) json(data []byte) (got arrival, end int) {
	head, readable := decode.ReadHead(data, o.kind.Namespaced)
	if sent := readable && o.kind.isSent(string(head.APIVersion), string(head.Kind)); o.events && !sent {
		return o.slowly(data) // which is the final form, whatever it is
	}
	known := o.known(&head)
	if readable && o.trusted && is(known, &head) {
		return arrival{obj: known.(runtime.Object), known: true}, decode.Pass(data)
	}
	like := o.shared(known)
	if like == nil && o.kind.Kin != nil {
		head.ReadOwner(data)
		like = o.kind.Kin.Like(head.Controller())
	}
	if o.decoder != nil {
		if obj, end, ok := o.decoder.JSON(data, like); ok {
			return o.finish(obj.(runtime.Object), known), end
		}
	}
	if got, end = o.slowly(data); got.err == nil && end > 0 {
		dedup.Against(got.obj, like)
		got = o.finish(got.obj, known)
	}
	return got, end
}

// slowly is json for what the decoder leaves to others.
func (o *objects) slowly(data []byte) (got arrival, end int) {
	if end = decode.Pass(data); end == 0 {
		return got, 0
	}
	if o.events {
		got.obj, got.err = runtime.Decode(o.decode, data[:end])
	} else {
		got.obj, got.err = o.kind.fromJSON(data[:end])
	}
	return got, end
}

// proto makes the object that data is, in protobuf and without what is wrapped around it.
func (o *objects) proto(data []byte) arrival {
	var known, like any
	if o.decoder != nil {
		if head, ok := o.kind.codec.ReadProtoHead(data); ok {
			known = o.known(&head)
			if o.trusted && is(known, &head) {
				return arrival{obj: known.(runtime.Object), known: true}
			}
			if like = o.shared(known); like == nil && o.kind.Kin != nil {
				like = o.kind.Kin.Like(head.Controller())
			}
		}
		if obj, ok := o.decoder.Proto(data, like); ok {
			return o.finish(obj.(runtime.Object), known)
		}
	}
	obj, err := o.kind.fromProto(data)
	if err != nil {
		return arrival{err: err}
	}
	dedup.Against(obj, like)
	return o.finish(obj, known)
}

// known returns the object as it is known, nil if it isn't.
func (o *objects) known(head *decode.Head) any {
	if o.kind.Known == nil || len(head.Name) == 0 {
		return nil
	}
	obj, _ := o.kind.Known(delta.Key{Namespace: string(head.Namespace), Name: string(head.Name)})
	return obj
}

// is reports whether an object is the one that a head is of.
func is(obj any, head *decode.Head) bool {
	about, ok := obj.(metav1.Object)
	return ok && head.Is(about.GetUID(), about.GetResourceVersion())
}

// shared returns obj if another one may share memory with it.
func (o *objects) shared(obj any) any {
	if o.kind.Kin == nil {
		return nil
	}
	return obj
}

// finish makes of an object what client-go would have made. Unless it follows on a known one, it can be found by
// those that are like it.
func (o *objects) finish(obj runtime.Object, known any) arrival {
	if o.events {
		o.kind.strip(obj)
	} else {
		o.kind.name(obj)
	}
	if known == nil && o.kind.Kin != nil {
		o.kind.Kin.Keep(obj)
	}
	return arrival{obj: obj}
}
