// Package samples has the objects, schemas and random choices that tests of several packages
// share.
//
//	Web(changes) ─────────────────▶ objects ──┐
//	                                          ├──▶ code under test ──▶ JSON, Tree ──▶ want
//	Builtin, Custom(), &Refusing{} ─▶ schemas ┘
//
//	NewDice(seed) ──▶ OneOf, Often, Seldom
//
// custom.yaml describes the kind that Custom knows. It has what the kinds of Kubernetes lack:
// keys with defaults, fields of any type, and fields that the schema does not name.
//
// It is test support: only _test.go files and other packages of internal/testing import it.
//
// Any goroutine may call the functions, and ask the schemas. Each object is a new one. A Dice
// and a Refusing belong to one goroutine.
package samples
