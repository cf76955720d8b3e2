package delta

import (
	"cmp"
	"strings"
)

// Key names an object within its kind. It is a struct so that looking one up
// builds no string; the text form is for people and for client-go's interfaces.
type Key struct {
	Namespace string // empty for a cluster-scoped object
	Name      string
}

// String is the form that client-go uses: "namespace/name", or "name" alone
// where there is no namespace.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}

// ParseKey is the inverse of [Key.String] for every string, also for those that
// no Kubernetes object has, because a client-go key function may return any. A
// key whose text starts with a slash has no namespace.
func ParseKey(s string) Key {
	if namespace, name, ok := strings.Cut(s, "/"); ok && namespace != "" {
		return Key{Namespace: namespace, Name: name}
	}
	return Key{Name: s}
}

// Compare orders keys by namespace, then by name.
func (k Key) Compare(other Key) int {
	return cmp.Or(strings.Compare(k.Namespace, other.Namespace), strings.Compare(k.Name, other.Name))
}
