// Package dedup has an object share memory with another one wherever the two are
// equal. It also says what anybody may read of an object that others have ([Legible]), and compares two such
// objects ([Equal]).
//
//	object as decoded          object after Against(object, like)
//	 ├─ labels   ──▶ {a}        ├─ labels   ──┐
//	 ├─ spec     ──▶ {b}        ├─ spec     ──┼─▶ those of like
//	 └─ status   ──▶ {c}        └─ status   ──┼─▶ {c}
//	                                          │     └─ its equal strings
//	like: {a}, {b}, {d}  ◀────────────────────┘
//
// Two values are equal here if nobody could tell them apart: nil is not empty, times
// in two locations are two times except for [EqualObjects], and zeros with two signs are two numbers. A struct with
// unexported fields is equal to nothing, because its own package may write to them at any time. Two are known
// better: a time, and a quantity, which is compared if it is in a map. A value that decodes itself by code that
// nobody here knows ([Foreign]) is equal to nothing, too.
//
// Against changes its first object, which nobody else may have yet. It only reads the second, which others may read,
// too, and which nobody changes any more.
package dedup
