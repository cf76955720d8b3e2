// Package browser has the tests that look at the inspector's page with a browser.
//
//	toy operator ◀── inspector ◀── httptest ◀── chromium, without a screen
//	      ▲                                          ▲
//	      └── a test edits objects ── and looks ─────┘
//
// make browser runs them. They need chromium, which $CHROME names, or which is found on the PATH.
// They fail where there is none. For the rules of accessibility they need axe-core, which
// make browser gets from npm's registry; without it they fail, and say so.
//
// Each test leaves screenshots in artifacts/page.
//
// # Concurrency
//
// One browser is started for all tests. Each test has a tab and an operator of its own.
//
// # Testing
//
// In each view a test asks for errors on the console, for violations of the page's own security
// policy, and for what axe-core finds, in both themes and on a narrow screen.
package browser
