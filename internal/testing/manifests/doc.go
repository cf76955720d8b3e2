// Package manifests reads what kustomize makes of config/, and makes a certificate for
// webhooks. With it tests and the demo run the sample operator beside a cluster instead of in
// it. It also makes CRDs of the kinds that only tests have.
//
//	config/default ──Build──┐
//	                        ├──▶ objects ──CallAt──▶ webhooks that are called on this machine
//	text ────────────Read───┘
package manifests
