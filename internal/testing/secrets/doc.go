// Package secrets makes random Secrets and looks for their values in what is printed.
//
//	Safe ──▶ Secret ──▶ code under test ──▶ text ──LookFor──▶ a value in it fails the test
//
// # Concurrency
//
// One goroutine uses a Safe.
//
// # Testing
//
// The tests of packages diff and delta use it. With a Diff that shows values they fail.
package secrets
