// Package openapi reads the types of some kinds out of a server's OpenAPI v3 document.
//
//	document ──▶ shape ──────────▶ pool ────────▶ Types
//	as it comes  what one schema   a type of it,  the kinds in question
//	over the     says              each equal     and what they refer to
//	network                        part once
//
// A document may have several megabytes, nearly all of them requests and descriptions. [Read] has one definition at a
// time in memory, and goes over the requests. Parts of types that are equal are one part, so a hundred kinds that run Pods take little more than one.
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
