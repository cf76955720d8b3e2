// Package adopt takes every step of docs/adopt.md and of the README in a project with the
// layout of kubebuilder v4, and reverts it. It has only tests.
//
//	testdata/guestbook ──copy──▶ a project ◀──Apply── the page's diffs
//	                                │
//	     go build, its own suite, its program ──▶ work, and on our parts
//	                                │
//	                                └──Reverse──▶ byte for byte what it was
//
// A probe says which parts of a running project are ours. It is a file and three lines that
// the tests add to the copy. Without it a diff that does nothing would pass.
//
// # Concurrency
//
// Steps are tested side by side, each in a project of its own. The programs take
// turns on the one control plane that they share.
//
// # Testing
//
// The unchanged project is a step, too: in it the probe must find none of our parts.
package adopt
