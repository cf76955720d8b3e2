// Package layering holds the import table of this module, and the test that the
// code keeps to it.
//
//	delta ◀─ store ◀─ informer ◀─┬─ toolscache ◀─ cache ◀─┬─ builder
//	delta ◀─ predicate ◀─────────┴─ source ◀──────────────┘
//	queue ◀─ keyqueue ◀─ ctrlqueue ◀─ builder, and cache ◀─ builder, manager
//
// The table allows what is used and no more: a test also fails for a permission that nobody
// uses. Besides, only internal/base/lifecycle starts goroutines, and no package has a name
// that says nothing about what is in it. Test files may import what they like.
//
// The checkers read the source with go/parser: asked through `go list`, they would pass from the test
// cache after a change.
package layering
