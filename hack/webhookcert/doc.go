// Command webhookcert makes a certificate for the webhooks of the sample operator, for clusters
// without cert-manager. It is what `make deploy` runs.
//
//	webhookcert ──▶ folder: tls.crt, tls.key ──▶ Secret, which the operator's Pods mount
//	                        kustomization.yaml ─▶ config/default, the Secret, and the
//	                                              caBundle of both webhook configurations
//
// A certificate that is still good for a month stays as it is: with another one the API server
// could not call the webhooks until all Pods had it.
//
// # Concurrency
//
// None.
//
// # Testing
//
// The tests make a certificate, and another one when the first has almost ended. The suite of
// the sample operator deploys with it.
package main
