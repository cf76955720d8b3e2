// Package layering holds the import table of this module, and the test that the
// code keeps to it.
//
//	delta ◀─ store ◀─ informer ◀─ toolscache ◀─ cache ◀─ source ◀─ builder ◀─ manager
//	queue ◀─ ctrlqueue ◀───────────────────────────────────────────────────┘
//
// Besides, only internal/lifecycle starts goroutines, and no package has a name
// that says nothing about what is in it. Test files may import what they like.
//
// # Concurrency
//
// There is nothing here but a test.
//
// # Testing
//
// The checker is itself tested on small trees that break one rule each. It reads
// the source with go/parser: asked through `go list`, it would pass from the test
// cache after a change.
package layering
