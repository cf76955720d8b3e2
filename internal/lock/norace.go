//go:build invariants && !race

package lock

func ignoreSync() {}

func seeSync() {}
