// Package objects answers what several packages ask of an API object whose type they do
// not know. Package delta has its own answers, because it imports none of our packages.
//
//	obj ──▶ is it there at all?               IsNil
//	    ──▶ does its Go type say its fields?  Untyped
package objects
