package diff

import (
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// seal says that an object is a Secret. Its values are replaced where edits are made, so
// that nothing which shows edits has them.
type seal bool

// shownOfSecrets is what may be seen of a Secret; the rest may not. It is this way
// around because of fields that we do not know. Annotations are hidden as a whole: the
// last-applied-configuration is one, and other tools keep theirs under other names.
var shownOfSecrets = [][]string{
	{"apiVersion"}, {"kind"}, {"type"}, {"immutable"},
	{"metadata", "creationTimestamp"}, {"metadata", "deletionGracePeriodSeconds"}, {"metadata", "deletionTimestamp"},
	{"metadata", "finalizers"}, {"metadata", "generateName"}, {"metadata", "generation"}, {"metadata", "labels"},
	{"metadata", "name"}, {"metadata", "namespace"}, {"metadata", "ownerReferences"}, {"metadata", "resourceVersion"},
	{"metadata", "selfLink"}, {"metadata", "uid"},
}

// keysOfSecrets are maps whose keys may be seen, but no more of what is under them.
var keysOfSecrets = [][]string{{"data"}, {"stringData"}, {"metadata"}, {"metadata", "annotations"}}

// secret reports whether this is about a Secret: one of the objects has to be taken for
// one, or the kind was given when the Diff was made.
func (d *Diff) secret() bool {
	return d.kind.Kind == "Secret" || secretive(d.before) || secretive(d.after)
}

// secretive reports whether an object has to be taken for a Secret: it is one, or it
// could be, because it does not say what it is.
func secretive(obj Object) bool {
	if obj == nil {
		return false
	}
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	switch obj.(type) {
	case runtime.Unstructured, *metav1.PartialObjectMetadata:
		return kind == "Secret" || kind == "" || kind == "PartialObjectMetadata"
	}
	return kind == "Secret" || secretType(reflect.TypeOf(obj), 0)
}

// secretType knows a Secret by its Go type, because typed clients return objects that
// do not say their kind, and because others embed it or have a copy under another name.
func secretType(t reflect.Type, depth int) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || depth > 3 {
		return false
	}
	data, ok1 := t.FieldByName("Data")
	text, ok2 := t.FieldByName("StringData")
	ok1 = ok1 && data.Type == reflect.TypeFor[map[string][]byte]()
	ok2 = ok2 && text.Type == reflect.TypeFor[map[string]string]()
	if ok1 && (ok2 || t.Name() == "Secret") {
		return true
	}
	for i := range t.NumField() {
		if field := t.Field(i); field.Anonymous && secretType(field.Type, depth+1) {
			return true
		}
	}
	return false
}

// withinOne reports whether p is one of these, or below one.
func withinOne(p path.Path, places [][]string) bool {
	return slices.ContainsFunc(places, func(names []string) bool { return p.Within(names...) })
}

// exactly reports whether p is one of these, not below it.
func exactly(p path.Path, places [][]string) bool {
	return slices.ContainsFunc(places, func(names []string) bool { return len(p.Steps) == len(names) && p.Within(names...) })
}

// ends reports whether nothing below p may become an edit of its own, because its path
// would tell what is hidden.
func (s seal) ends(p path.Path) bool {
	return bool(s) && !withinOne(p, shownOfSecrets) && !exactly(p, keysOfSecrets)
}

// show returns what may be seen of a value.
func (s seal) show(p path.Path, v value.Value) value.Value {
	switch {
	case v == nil, !bool(s), withinOne(p, shownOfSecrets):
		return v
	case !v.IsMap() || !exactly(p, keysOfSecrets):
		return value.NewValueInterface(hidden)
	}
	shown := map[string]any{}
	v.AsMap().Iterate(func(key string, v value.Value) bool {
		shown[key] = unstructured(s.show(p.Below(path.Step{Kind: path.Named, Name: key}), v))
		return true
	})
	return value.NewValueInterface(shown)
}
