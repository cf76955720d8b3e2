// Package decode makes objects of what an API server sends, against others that they are like: what is equal is not
// made, but shared.
//
//	bytes ──▶ ReadHead ──▶ who is it? ──▶ like: its last version, or another object of its owner
//	  │                                    │
//	  └──────────▶ Decoder.JSON, .Proto ◀──┘
//	                        │ reads a value where there is room, and looks whether it is that of like
//	             ┌──────────┼───────────────────┐
//	             ▼          ▼                   ▼
//	           equal      different        not certain
//	      that of like    a new one        others decode the whole object
//
// Most of what a client decodes it has already: an update changes a few fields, and the Pods of one owner differ in
// a few. To make all of it and throw it away again costs more than to read it. A Type has a plan of each Go type that
// the objects consist of, in the words of its tags, so nothing is looked up by reflection along the way. A Decoder has
// memory in which it reads elements and what pointers lead to; only what is new is copied out of it. It also remembers,
// for parts of protobuf that were shared several times, in which bytes they came: the same bytes are not decoded again.
//
// A Decoder is strict where other readers are lenient: it leaves to apimachinery each text that is not plain
// UTF-8, each name or field that comes twice, half a pair of surrogates, a group, a number that is not written as its
// field has it, and what is nested too deep. API servers send none of these. [TypeOf] refuses a type as a whole if it
// can't tell what encoding/json would do with it, and says why. What decodes itself by code that nobody here knows
// ([dedup.Foreign]) gets bytes and memory that it may keep, and is neither compared nor shared.
//
// # Concurrency
//
// A Decoder is for one goroutine, a Type for all. The object to be like is only read, so several may decode against
// it at once, and nobody may change it any more, nor what was made. Nothing that is made is in the bytes.
//
// # Testing
//
// The promise stands at the head of differential_test.go: what is accepted is what apimachinery makes of the same bytes.
// Random objects of every type that client-go knows and of types with everything odd are decoded, in both forms,
// against nothing and against objects of all sorts. Their texts are then changed at random, cut off and spoiled; the
// fuzzers go on from there:
//
//	go test ./internal/decode -run '^$' -fuzz '^FuzzJSON$' -fuzztime 60m -fuzzminimizetime 20x -parallel 1
//
// The others are FuzzUnstructured, FuzzProto and FuzzHead. With -race it is seen that nobody writes to what an
// object is like.
//
// A test that changes an object in many places makes one in so many of the changes, and fewer under the race detector.
// The build tag slow has it make all.
package decode
