// Package realtime marks the test packages that wait for real time, or for programs that they start:
// their TestMain calls Main. make test and make race leave them out, and make test-all runs each as a
// suite of its own. The script hack/packages finds them by the import.
//
// In a package that belongs to make test, a single test file may be slow. It begins with the build tag
// slow, and make test-all sets that tag.
package realtime

import "go.uber.org/goleak"

// Main runs the tests of a package, and fails if they leave goroutines behind.
func Main(m goleak.TestingM) { goleak.VerifyTestMain(m) }
