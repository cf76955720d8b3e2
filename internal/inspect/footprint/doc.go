// Package footprint estimates how many bytes of memory a value keeps alive.
//
//	Of(pod) ──▶ walk ──▶ string, slice by its capacity, map by its slots, pointer once ──▶ bytes
//	              └─ ByPath: the same bytes, divided by field
//
// It counts what the allocator takes: each allocation is rounded up to its size class. Memory
// that a value leads to twice counts once. Memory that several values share counts for each of
// them, because nobody could say whose it is. The estimate is within 25 % of what the heap grows by.
//
// ByPath names fields, and never what a user has made up: it stops at a map with a Go type
// of its own, such as the annotations. An unstructured object does not say which of its maps
// have fields. So there only the object itself, its metadata, spec and status are divided.
//
// Some things are left out: what a function or a channel refers to, the time zone of a time,
// everything that is more than 500 pointers away, and what only their own package may read
// ([dedup.Legible]).
//
// Any goroutine may call anything. Nobody may change the value meanwhile, but a type may write to its
// unexported fields.
package footprint
