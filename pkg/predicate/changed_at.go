package predicate

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/path"
)

// ChangedAt passes an update only if it touches one of the paths, and everything else;
// see [diff.Diff.Touches]. An update that a relist showed passes as well, since it may
// hide what was changed and changed back; and so does a resync that somebody asked for. See
// [OnRelist] and [OnResync]. It compares without a schema, and takes a
// list as one value: a path into a list is touched if anything in the list changes.
//
// A predicate cannot return an error. If a path can't be read, or there is none, this one
// passes everything, and logs that when it is made. If a path can't exist in any kind that
// it is shown, it passes every update, and logs that once it finds out. If the path can
// exist in one of the kinds, objects of the others do not touch it. Have [delta.MustPath] or
// the builder's WithPaths check your paths when the program starts: a predicate does not
// know the fields of a custom resource that is watched in unstructured form. If neither
// state of such an object has the path, any change touches it.
func ChangedAt(paths ...string) ctrlpredicate.Predicate {
	return TypedChangedAt[client.Object](paths...)
}

// TypedChangedAt is [ChangedAt] for objects of one type, whose fields it knows from the
// beginning.
func TypedChangedAt[O client.Object](paths ...string) ctrlpredicate.TypedPredicate[O] {
	parsed := make([]path.Path, len(paths))
	for i, field := range paths {
		var err error
		if parsed[i], err = path.Parse(field); err != nil {
			log.Error(err, "A predicate has a path that can't be read; it passes every event", "path", field)
			return updates(func(O, O) bool { return true })
		}
	}
	if len(parsed) == 0 {
		log.Error(nil, "A predicate asks for changes at no path; it passes every event")
		return updates(func(O, O) bool { return true })
	}
	return byContent[O]{newPathPredicate[O](slices.Clone(paths), parsed)}
}
