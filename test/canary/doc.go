// Package canary plants canaries in Secrets, and looks for them in everything that an operator prints,
// logs, serves and publishes.
//
//	the test ──Secrets with canaries──▶ kube-apiserver ◀──Events──────────────┐
//	                                        │                                 │
//	                                        ▼ line: spoils what it passes on  │
//	                                    operator: all forms of caches, guard, plans, panics
//	                                        │                                 │
//	       ┌─────────────┬──────────────┬───┴────────┬──────────────┐         │
//	       ▼             ▼              ▼            ▼              ▼         ▼
//	      log       what methods     metrics,    inspector:     kubectl    Events
//	                   return         health    API and page     delta        │
//	       └─────────────┴──────────────┴─────┬──────┴──────────────┴─────────┘
//	                                          ▼
//	                        hunt: no canary, in no spelling; and is a Secret shown at all?
//
// A canary is a random word of its own for each place, so a leak names the place and the output. The
// hunt knows nothing of the product: it looks for bytes. It also demands that each output names a
// Secret, as an output that says nothing leaks nothing.
//
// Outputs are found and not listed, wherever they can be: the inspector's routes in its
// description, the plugin's commands in its help, the page's files in the page, methods by reflection.
// The test fails at one that it does not know, until somebody says how to ask for it.
//
// Keys, labels, types, finalizers, owners and managers of Secrets are shown by design, see package
// diff, so no canary is there. From level 8 on client-go logs the answers of the server itself, so
// the log has all up to level 7.
//
// # Concurrency
//
// All tests share a control plane and the process's log, so they run one after the other. Each has a
// namespace of its own.
//
// # Testing
//
// The package has only tests. TestTheHuntFinds plants leaks in each spelling.
package canary
