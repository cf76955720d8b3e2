// Package browser has the tests that look at the inspector's page with a browser.
//
//	toy operator ◀── inspector ◀── httptest ◀────────────────┐
//	                                                         ├── chromium, without a screen
//	sample operator ◀── its inspector ◀── kubectl delta page ┘                  ▲
//	      │            TLS, tokens, roles       reader                          │
//	      ▼                                                                     │
//	kube-apiserver, etcd ◀────── a test edits objects ───────────── and looks ──┘
//
// The toy operator is in the test's own process and shows what a real one seldom has: a kind that is
// forbidden, a handler that hangs, a flood. The sample operator is a process of its own, with the
// account and the roles from config/, beside a real control plane. Somebody who may read looks at it
// with kubectl delta page.
//
// make browser runs them. They need chromium, which $CHROME names, or which is found on the PATH.
// They fail where there is none. For the rules of accessibility they need axe-core, which
// make browser gets from npm's registry; without it they fail, and say so. The real operator needs
// kube-apiserver, etcd and kustomize, which make browser builds.
//
// Each test leaves screenshots in artifacts/page.
//
// # Concurrency
//
// One browser is started for all tests. Each test has a tab, and a toy operator or a namespace of its
// own. The sample operator and its control plane start with the first test that asks for them, and
// end with the last.
//
// # Testing
//
// In each view a test asks for errors on the console, for violations of the page's own security
// policy, and for what axe-core finds, in both themes, on a wide screen and on a narrow one. The views
// are those that the page's own router has, so that none is forgotten.
package browser
