// Package await waits for what a test can't be told of: because another process does it,
// or because it is spread over several.
//
//	Until(t, "the Site to be gone", gone)
//	      │
//	      ▼
//	    gone()? ── true ──▶ go on
//	      ▲ │
//	      │ false
//	      └─┴── Patience is over ──▶ Fatal "waited 2m0s for the Site to be gone"
//
// A test that can be told waits on a channel, with Receive. One that has its own clock
// uses testing/synctest. It is test support: only _test.go files import it.
//
// Conditions are called in the goroutine of the test, one after the other.
package await
