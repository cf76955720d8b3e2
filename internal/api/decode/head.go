package decode

import (
	"k8s.io/apimachinery/pkg/types"
)

// A Head is what can be told of an object before it is decoded. The bytes are good as long as the data.
type Head struct {
	Kind, APIVersion              []byte
	Namespace, Name, UID, Version []byte
	controller                    []byte // UID of the owner that controls the object
	found                         uint8  // how many of the fields above have come
}

// Is reports whether the object has a UID and a version.
func (h *Head) Is(uid types.UID, version string) bool {
	return len(h.Version) > 0 && string(h.Version) == version && string(h.UID) == string(uid)
}

// Controller is the UID of the owner that controls the object. It is known after ReadOwner.
func (h *Head) Controller() types.UID { return types.UID(h.controller) }

// Pass returns where the JSON value at the beginning of data ends, and 0 if it has no end there.
func Pass(data []byte) int {
	c := cursor{data: data}
	if !c.pass() {
		return 0
	}
	return c.pos
}

// ReadHead reads the head of the JSON object at the beginning of data. It goes no further than it has to: an
// object that has no namespace is read to the end of its metadata, unless its kind has none.
func ReadHead(data []byte, namespaced bool) (h Head, ok bool) { //nolint:revive // it is a property of the kind
	wanted := uint8(4)
	if !namespaced {
		wanted = 3
	}
	c := cursor{data: data}
	ok = c.each(func(name []byte) (more, ok bool) {
		switch string(name) {
		case "kind":
			h.Kind, ok = c.plainText()
		case "apiVersion":
			h.APIVersion, ok = c.plainText()
		case "metadata":
			return false, h.metadata(&c, wanted)
		default:
			ok = c.pass()
		}
		return true, ok
	})
	return h, ok
}

// metadata reads what is wanted of an object's metadata.
func (h *Head) metadata(c *cursor, wanted uint8) bool {
	return c.each(func(name []byte) (more, ok bool) {
		var into *[]byte
		switch string(name) {
		case "name":
			into = &h.Name
		case "namespace":
			into = &h.Namespace
		case "uid":
			into = &h.UID
		case "resourceVersion":
			into = &h.Version
		default:
			return true, c.pass()
		}
		h.found++
		*into, ok = c.plainText()
		return h.found < wanted, ok
	})
}

// each consumes an object, and calls member behind each name to consume its value, until that wants no more.
func (c *cursor) each(member func(name []byte) (more, ok bool)) bool {
	if !c.take('{') {
		return false
	}
	if c.take('}') {
		return true
	}
	for {
		name, ok := c.plainText()
		if !ok || !c.take(':') {
			return false
		}
		if more, ok := member(name); !ok || !more {
			return ok
		}
		if more, ok := c.more('}'); !more {
			return ok
		}
	}
}

// ReadOwner completes the head of a JSON object with the owner that controls it, if there is one.
func (h *Head) ReadOwner(data []byte) {
	c := cursor{data: data}
	c.each(func(name []byte) (more, ok bool) {
		if string(name) != "metadata" {
			return true, c.pass()
		}
		return false, c.each(func(name []byte) (more, ok bool) {
			if string(name) != "ownerReferences" {
				return true, c.pass()
			}
			h.owners(&c)
			return false, true
		})
	})
}

func (h *Head) owners(c *cursor) {
	if !c.take('[') {
		return
	}
	for {
		var uid []byte
		controls := false
		read := c.each(func(name []byte) (more, ok bool) {
			switch string(name) {
			case "uid":
				uid, ok = c.plainText()
			case "controller":
				controls = c.peek() == 't'
				ok = c.pass()
			default:
				ok = c.pass()
			}
			return true, ok
		})
		if read && controls {
			h.controller = uid
			return
		}
		if more, _ := c.more(']'); !read || !more {
			return
		}
	}
}

// The numbers of the fields of metav1.ObjectMeta and metav1.OwnerReference in protobuf.
const (
	protoName       = 1
	protoNamespace  = 3
	protoUID        = 5
	protoVersion    = 6
	protoOwners     = 13
	protoOwnerUID   = 4
	protoController = 6
)

// ReadProtoHead is ReadHead for an object in protobuf, with its owner.
func (t *Type) ReadProtoHead(data []byte) (h Head, ok bool) {
	for len(data) > 0 && t.about != 0 {
		number, value, rest, ok := nextField(data)
		if !ok {
			return h, false
		}
		if number == t.about {
			ok = h.protoMetadata(value.bytes)
			return h, ok
		}
		data = rest
	}
	return h, false
}

func (h *Head) protoMetadata(data []byte) bool {
	for len(data) > 0 {
		number, value, rest, ok := nextField(data)
		if !ok {
			return false
		}
		switch number {
		case protoName:
			h.Name = value.bytes
		case protoNamespace:
			h.Namespace = value.bytes
		case protoUID:
			h.UID = value.bytes
		case protoVersion:
			h.Version = value.bytes
		case protoOwners:
			h.protoOwner(value.bytes)
		}
		data = rest
	}
	return true
}

func (h *Head) protoOwner(data []byte) {
	var uid []byte
	controls := false
	for len(data) > 0 {
		number, value, rest, ok := nextField(data)
		if !ok {
			return
		}
		switch number {
		case protoOwnerUID:
			uid = value.bytes
		case protoController:
			controls = value.number != 0
		}
		data = rest
	}
	if controls && h.controller == nil {
		h.controller = uid
	}
}
