// Package release makes a release in two clones, compares them byte for byte, and installs and runs what is in it, as
// users would: the plugin by krew and by go install, the sample operator by kubectl and by Helm on a real API server.
//
// # Concurrency
//
// None.
//
// # Testing
//
// The package has only tests.
package release
