package lifecycle

import "errors"

// ErrGoexit is the Value of the [Crash] of a task that ended its goroutine with runtime.Goexit, as a failed assertion
// of a test does.
var ErrGoexit = errors.New("the task called runtime.Goexit")
