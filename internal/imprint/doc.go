// Package imprint writes objects as what each differs in from one before it, and reads them again.
//
//	objects ──▶ Writer ──▶ one record each ──▶ Reader ──▶ objects
//	              │                               │
//	              └── like: the last of the same ─┘
//	                  controller, or the last at all
//
// The objects of a cache are much like each other, and share memory where they are. So a record has only what
// is new. A reader copies the object that the record is relative to, field by field as it stands in memory, and
// overwrites what the record has. All else is shared. So reading takes as long as what differs, and
// the objects share again what they shared before, and whatever else is equal.
//
// A record is the distance to the object that it is relative to, in objects, and then the differences. Of a struct
// those are a mask of the fields that differ and then these fields. A list has its length, and a mask of the
// elements that differ from those at the same index. A map has the keys that are gone and the values that are
// new. A text has how much of it is at the beginning and at the end of the other.
//
// An object comes back equal to what was written, by reflect.DeepEqual: nil is not empty, times have their location, and
// quantities their form. A Writer refuses what it can't keep so: a time of another location than the local one and UTC,
// a value in an any that no decoder makes, or what is nested too deep. [TypeOf] refuses a type as a whole, and says why.
//
// A record has no names of fields. So it means something only to the very same types, and [Type.Print] tells
// those from others.
//
// # Trust
//
// A Reader takes any bytes. Each length is held against what is left, and what one record makes is bounded by the
// object that it is relative to and by a multiple of its bytes.
//
// # Concurrency
//
// A Writer and a Reader are each for one goroutine, a Type is for all. Both only read the objects that they have
// seen, so nobody may change these any more.
//
// # Testing
//
// Random objects of every type that client-go knows are written in sequences, with changes and with shared parts, and
// compared. FuzzReader reads spoiled records:
//
//	go test ./internal/imprint -run '^$' -fuzz '^FuzzReader$' -fuzztime 10m -fuzzminimizetime 20x -parallel 1
//
// The heap that they take is measured with the build tag slow. With -race it is seen that nobody writes to what is shared.
package imprint
