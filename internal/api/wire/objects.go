package wire

import (
	"bytes"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Kin finds objects that have much in common.
type Kin interface {
	// Like returns an object that one of this owner is likely to be like, nil if there is none.
	Like(owner types.UID) any
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
	obj runtime.Object // nil if it is known
	lookup
	err error
}

// lookup is an object that is known: what the server calls it, and what is known of it. That is whatever somebody has
// made of the object: it need not have a kind, nor the name that the server gave it.
type lookup struct {
	known   any // nil if there is nothing
	key     delta.Key
	version string // what is known says so, and so does the server if that is all that arrives
}

// item is an object of a list.
func (a *arrival) item() listwatch.Item[any] {
	if a.known != nil {
		return listwatch.Item[any]{Obj: a.known, Known: true, Key: a.key}
	}
	return listwatch.Item[any]{Obj: a.obj, Err: listwatch.WithoutQuotes(a.err)}
}

// json makes the object at the beginning of data. It returns where that ends, or 0 if it does not end there.
func (o *objects) json(data []byte) (got arrival, end int) {
	head, readable := decode.ReadHead(data, o.kind.Namespaced)
	if sent := readable && o.kind.isSent(string(head.APIVersion), string(head.Kind)); o.events && !sent {
		return o.slowly(data) // which is the final form, whatever it is
	}
	found := o.find(&head)
	if readable && o.trusted && found.is(&head) {
		return arrival{lookup: found}, decode.Pass(data)
	}
	like := o.like(&head, found.known, data)
	if o.decoder != nil {
		if obj, end, ok := o.decoder.JSON(data, like); ok {
			return o.finish(obj.(runtime.Object)), end
		}
	}
	if got, end = o.slowly(data); got.err == nil && end > 0 {
		dedup.Against(got.obj, like)
		got = o.finish(got.obj)
	}
	return got, end
}

// slowly is json for what the decoder leaves to others. They get bytes that they may keep.
func (o *objects) slowly(data []byte) (got arrival, end int) {
	if end = decode.Pass(data); end == 0 {
		return got, 0
	}
	data = bytes.Clone(data[:end])
	if o.events {
		got.obj, got.err = runtime.Decode(o.decode, data)
	} else {
		got.obj, got.err = o.kind.fromJSON(data)
	}
	return got, end
}

// proto makes the object that data is, in protobuf and without what is wrapped around it.
func (o *objects) proto(data []byte) arrival {
	var like any
	if o.decoder != nil {
		if head, ok := o.kind.codec.ReadProtoHead(data); ok {
			found := o.find(&head)
			if o.trusted && found.is(&head) {
				return arrival{lookup: found}
			}
			like = o.like(&head, found.known, nil)
		}
		if obj, ok := o.decoder.Proto(data, like); ok {
			return o.finish(obj.(runtime.Object))
		}
	}
	obj, err := o.kind.fromProto(bytes.Clone(data))
	if err != nil {
		return arrival{err: err}
	}
	dedup.Against(obj, like)
	return o.finish(obj)
}

// find returns what is known of an object.
func (o *objects) find(head *decode.Head) (found lookup) {
	if o.kind.Known == nil || len(head.Name) == 0 {
		return found
	}
	found.key = keyOf(head)
	found.known, _ = o.kind.Known(found.key)
	return found
}

// is reports whether what is known is the object that a head is of, in its version.
func (f *lookup) is(head *decode.Head) bool {
	about, ok := f.known.(metav1.Object)
	if !ok {
		return false
	}
	f.version = about.GetResourceVersion()
	return head.Is(about.GetUID(), f.version)
}

// like returns what the object of a head may share memory with, nil if there is nothing. Its owner is in the head of
// protobuf already, and JSON is read for it.
func (o *objects) like(head *decode.Head, known any, inJSON []byte) any {
	switch {
	case o.kind.Kin == nil:
		return nil
	case known != nil:
		return known
	case inJSON != nil:
		head.ReadOwner(inJSON)
	}
	return o.kind.Kin.Like(head.Controller())
}

// finish makes of an object what client-go would have made.
func (o *objects) finish(obj runtime.Object) arrival {
	if o.events {
		o.kind.strip(obj)
	} else {
		o.kind.name(obj)
	}
	return arrival{obj: obj}
}
