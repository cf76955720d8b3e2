package predicate

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// ChangedAt holds back updates that touch none of the paths, and passes everything else; see
// [diff.Diff.Touches]. An update that a relist showed passes, because it may hide what somebody
// changed and changed back. So does a resync that somebody asked for. See [OnRelist] and
// [OnResync]. ChangedAt compares without a schema, and takes a list as one value: any change in
// a list touches every path into it.
//
// A predicate cannot return an error. If there is no path, or ChangedAt can't read one, it says
// so in the log and passes everything. If a path can't exist in any kind that it sees, it passes
// every update, and says so in the log once it finds out. If a path can exist in one of the
// kinds, objects of the others do not touch it. A predicate does not know the fields of a custom
// resource that the cache keeps in unstructured form: have [delta.MustPath] check your paths when the
// program starts, by the resource's Go type. If neither state of such an object has the path,
// any change touches it.
func ChangedAt(paths ...string) ctrlpredicate.Predicate {
	return TypedChangedAt[client.Object](paths...)
}

// TypedChangedAt is [ChangedAt] for objects of one type. It knows their fields from the
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
