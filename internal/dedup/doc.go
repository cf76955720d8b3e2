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
// Objects of one kind have much in common: the Pods of a ReplicaSet all but their
// names, addresses and times, and two versions of one object all but what was changed. A decoder
// makes everything new each time. A shared part is not kept twice, and the garbage collector
// need not visit it twice. Code that compares two objects sees at once that it is the same.
//
// Two values are equal here if nobody could tell them apart: nil is not empty, times
// in two locations are two times, and zeros with two signs are two numbers. A struct with
// unexported fields is equal to nothing, unless it is a time, or a quantity in a map. Neither is a
// value that decodes itself by code that nobody here knows ([Foreign]).
//
// # Concurrency
//
// Against changes its first object, which nobody else may have yet. The second is only
// read, so it may be one that others read, too, and that nobody changes any more. That
// holds of both from then on. Neither Against nor Equal reads what its own package may write to meanwhile, such as a
// quantity that is not in a map: it is neither equal nor shared.
//
// # Testing
//
// Random objects of every type that client-go knows are held against others that have
// a part in common with them: they stay equal to what they were, like does not change,
// and what is equal is shared. Unstructured ones are fuzzed.
// Equal is called while methods of both objects run, under the race detector.
package dedup
