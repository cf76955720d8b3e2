// Package adopt takes and leaves every step of docs/adopt.md, and the README's, in a
// project that is laid out as kubebuilder v4 does it. It has tests and nothing else.
//
//	testdata/guestbook ──copy──▶ a project ◀──Apply── the page's diffs
//	                                │
//	     go build, its own suite, its program ──▶ work, and on our parts
//	                                │
//	                                └──Reverse──▶ byte for byte what it was
//
// What is ours in a running project is told by a probe, a file and three lines that
// the tests add to the copy: without it a diff that does nothing would pass.
//
// # Concurrency
//
// Steps are tested side by side, each in a project of its own. The programs take
// turns on the one control plane that they share.
//
// # Testing
//
// The project as it was scaffolded is a step, too: there the probe must find nothing
// of ours.
package adopt
