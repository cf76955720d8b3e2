// Package decode makes objects of what an API server sends, against others that they are like: what is equal is not
// made, but shared.
//
//	bytes ──▶ ReadHead ──▶ who is it? ──▶ like: its last version, or another object of its owner
//	  │                                    │
//	  └──────────▶ Decoder.JSON, .Proto ◀──┘
//	                  equal ──▶ that of like      different ──▶ a new one      not certain ──▶ others decode the object
//
// The promise stands at the head of differential_test.go: the package accepts only what apimachinery accepts, and
// makes the same of it. It is strict where others are lenient, and leaves to apimachinery each text that is not
// plain UTF-8, each name or field that comes twice, half a pair of surrogates, a group, a number that is not
// written as its field has it, and deep nesting. API servers send none of these. [TypeOf] refuses a type if it
// can't tell what encoding/json would do with it, and says why. A value that decodes itself by unknown code
// ([dedup.Foreign]) gets bytes and memory that it may keep, and is neither compared nor shared.
//
// A Type has a plan of each Go type, so nothing is looked up by reflection along the way. For parts of protobuf that
// were shared several times, a Decoder remembers in which bytes they came, and does not decode the same bytes again.
//
// A Decoder is for one goroutine, a Type for all. The object to be like is only read, so several may decode against
// it. Nobody may change it any more, nor what was made. Nothing that is made is in the bytes.
package decode
