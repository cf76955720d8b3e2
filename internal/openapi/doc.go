// Package openapi reads the types of some kinds out of a server's OpenAPI v3 document.
//
//	document ──▶ scanner ──▶ shape ──────────▶ Types
//	as it comes  text by     what a diff       the kinds in question and what they
//	over the     text        needs of each     refer to, each equal part once
//	network                  definition
//
// A document has several megabytes, nearly all of them descriptions and requests. What is
// here keeps a fraction of that: [Read] holds one definition after the other as a shape and
// skips the rest, and [Document.Types] keeps what the kinds in question lead to.
//
// Types say what client-go's converter would say of the whole document, as far as a difference or a
// path can ask. Three things are otherwise:
//   - Fields that no definition mentions have a type of their own, [path.Unmentioned]. So one
//     set of types lets them through and tells that they are unknown.
//   - A type that is a number or a text is one value, and nothing may be below it. The converter
//     takes it for anything.
//   - What is wrong with a type is an error of the kinds that lead to it, and of no other.
//
// # Concurrency
//
// Types may be used from any goroutine. A Document belongs to one.
//
// # Testing
//
// Fuzzing compares the scanner with encoding/json, and the types with client-go's converter. The tests
// of internal/schemas do the same with all documents of a real server.
package openapi
