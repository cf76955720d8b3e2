//go:build invariants && race && (amd64 || arm64)

package lock

import "runtime"

// ignoreSync has the race detector not take what this goroutine does for synchronization with
// others, until seeSync.
func ignoreSync() { runtime.RaceDisable() }

func seeSync() { runtime.RaceEnable() }
