package delta

import "github.com/delta-runtime/delta-runtime/internal/path"

// MustPath returns a path's text if objects of type T can have such a field, and panics
// with a [PathError] if they can't:
//
//	var image = delta.MustPath[*appsv1.Deployment]("spec.template.spec.containers[*].image")
//
// It goes by the Go type and the names in its JSON tags; a field that is optional exists.
// Where the type leaves open what follows, as a RawExtension and an interface do, anything
// may follow. Of metav1.PartialObjectMetadata the metadata is checked, and of unstructured
// objects too: see [CheckPathBySchema] for the rest of them. The text is returned as an
// [Edit] has it.
func MustPath[T Object](text string) string { return path.Must[T](text) }

// CheckPath returns an error if objects of the example's type can't have such a field, as
// [MustPath] does. That is a [PathError], or says why the text can't be read.
func CheckPath(example Object, text string) error { return path.Check(example, nil, text) }
