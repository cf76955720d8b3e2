//go:build windows || plan9 || js || wasip1

package savefile

// sync does nothing: these systems have no way to sync a directory, and keep the order of its
// changes themselves or not at all.
func (system) sync(string) error { return nil }
