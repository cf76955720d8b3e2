// Package manifests reads what kustomize makes of config/, and makes a certificate for
// webhooks. With it tests and the demo run the sample operator beside a cluster instead of in
// it.
//
//	config/default ──Build──┐
//	                        ├──▶ objects ──CallAt──▶ webhooks that are called on this machine
//	text ────────────Read───┘
//
// # Concurrency
//
// None: nothing is kept between two calls.
//
// # Testing
//
// The tests read small manifests, good ones and bad ones. The tests of packages that import
// this one apply config/ to real API servers.
package manifests
