package realtime

import "go.uber.org/goleak"

// Main runs the tests of a package, and fails if they leave goroutines behind.
func Main(m goleak.TestingM) { goleak.VerifyTestMain(m) }
