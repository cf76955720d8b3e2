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
// unexported fields is equal to nothing, unless it is a time, or a quantity that is in a map or has its text. Neither is a
// value that decodes itself by code that nobody here knows ([Foreign]).
//
// Against changes its first object, which nobody else may have yet. It only reads the second, which others may read,
// too, and which nobody changes any more. A quantity that has no text writes one into itself when it is asked for it. So
// [Settle] marks those that have one, and only they are shared, except in maps. Equal reads neither a quantity that is
// not in a map nor anything else that its own package may write to, so others may have both objects.
package dedup
