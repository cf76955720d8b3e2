package controlplane

import "errors"

// ErrNotBuilt says that a program of the control plane is missing. The error that
// wraps it tells which, and how to build it.
var ErrNotBuilt = errors.New("control plane is not built")

// ErrExited says that a program ended by itself while it was needed. The error that
// wraps it carries the end of the program's log.
var ErrExited = errors.New("exited")
