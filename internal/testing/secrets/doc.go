// Package secrets makes random Secrets and looks for their values in what is printed.
//
//	Safe ──▶ Secret ──▶ code under test ──▶ text ──LookFor──▶ a value in it fails the test
//
// One goroutine uses a Safe.
package secrets
