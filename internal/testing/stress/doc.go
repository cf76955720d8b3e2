// Package stress starts and stops things in every order, many times, and sees
// that they are gone afterwards. It is for tests.
//
//	construct ──▶ Life{Run, Stops, Use}
//	                 │
//	   run │ stop │ stop again │ end its context     one after the other, or at once
//	                 │
//	                 ▼
//	   everything has returned, and no goroutine is left
//
// It checks that a caller may stop a thing before it runs, twice, or while it starts, that
// each call returns, and that nothing is left behind.
//
// The functions of a [Life] are called from several goroutines at once.
package stress
