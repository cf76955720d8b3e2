package lifecycle

import "errors"

// ErrGoexit is the Value of the [Crash] of a task that ended its goroutine with
// runtime.Goexit, as a failed assertion of a test does. The task has not finished its
// work, and without a crash nobody would notice.
var ErrGoexit = errors.New("the task called runtime.Goexit")
