// Package fulltypes makes the types of a whole OpenAPI document, by client-go's own code, and compares
// types. It is the judge of package openapi, which keeps only a part of a document.
//
//	document ──▶ client-go's converter ──▶ all types ──┐
//	                                                   ├──▶ Differences
//	document ──▶ code under test ────────▶ some types ─┘
//
// It is test support: only _test.go files import it.
//
// Any goroutine may call the functions.
package fulltypes
