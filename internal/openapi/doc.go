// Package openapi reads the types of some kinds out of a server's OpenAPI v3 document.
//
//	document ──▶ scanner ──▶ shape ──────────▶ Types
//	as it comes  text by     what a diff       the kinds in question and what they
//	over the     text        needs of each     refer to, each equal part once
//	network                  definition
//
// A document may have several megabytes, nearly all of them requests and descriptions. [Read] never
// has it in memory. Shapes that are equal are one shape, so a hundred kinds that run Pods take little more than one.
// [Document.Types] makes types of the shapes that the kinds in question lead to.
//
// Types say what client-go's converter says of the whole document, as far as a difference or a
// path can ask. Three things are otherwise:
//   - Fields that no definition mentions have a type of their own, [path.Unmentioned]. So one
//     set of types lets them through and tells that they are unknown.
//   - A number or a text (int-or-string) is one value, and nothing may be below it. The converter takes it for
//     anything. The types that client-go has itself do as ours.
//   - A definition that makes no sense is an error of the kinds that lead to it, and of no other. The converter
//     refuses the document.
//
// Any goroutine may use Types. A Document belongs to one.
package openapi
