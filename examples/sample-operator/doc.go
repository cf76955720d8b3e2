// The sample operator: it serves Sites. README.md beside this file is its guide.
//
//	main ── parse: flags, environment
//	  └─ run ── newManager ─┬─ drmanager.Configure: our cache, a client that knows its writes
//	                        ├─ internal/controller: Sites, by our builder
//	                        ├─ internal/webhook: defaults and checks
//	                        ├─ internal/certs: what the webhooks are served with
//	                        ├─ internal/events: what writes Events
//	                        └─ probes, metrics
//
// It is laid out as kubebuilder v4 does it, except for its place in this repository.
//
// # Concurrency
//
// The manager runs everything. When run returns, everything has ended.
//
// # Testing
//
// The tests call run with a real API server: from the flags to a Site that is served.
package main
