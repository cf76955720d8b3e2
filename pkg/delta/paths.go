package delta

import "github.com/delta-runtime/delta-runtime/internal/schema/path"

// MustPath returns a path's text if objects of type T can have such a field, and panics with
// an error if they can't:
//
//	var image = delta.MustPath[*appsv1.Deployment]("spec.template.spec.containers[*].image")
//
// It goes by the Go type and the names in its JSON tags. An optional field exists. Where the
// type leaves open what follows, as a RawExtension and an interface do, anything may follow.
// Of metav1.PartialObjectMetadata and of unstructured objects only the metadata is checked;
// [Changes.Touches] checks the rest by the server's schema. The text that it returns is
// spelled as in a [diff.Edit].
func MustPath[T Object](text string) string { return path.Must[T](text) }

// CheckPath returns an error if objects of the example's type can't have such a field, as
// [MustPath] does, or if the text can't be read. The error says what was probably meant
// if a name is misspelt, or if the key of a map has dots.
func CheckPath(example Object, text string) error { return path.Check(example, nil, text) }
