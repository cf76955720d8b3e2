// Package faulty is an API server that has every fault there is a name for: it is busy, away,
// restored from a backup, forgetful, silent, and it leaves out events.
//
//	apifake.Server ──▶ Server ──List, Watch──▶ a Reflector
//	                     │ a random source decides which fault comes next
//
// Its objects are [Thing]s, which have a name and a version.
//
// One goroutine makes requests; any goroutine may change what there is.
package faulty
