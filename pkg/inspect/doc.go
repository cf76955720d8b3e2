// Package inspect has the options of an inspector: a page, an API and a command line that show what
// an operator does, while it does it.
//
//	drmanager.AddInspector(mgr, inspect.Options{})
//	       │
//	       ├──▶ beside the metrics, behind their filter: /delta/
//	       └──▶ or on a loopback address of its own: Options.BindAddress
//
// Package manager has the function that adds one. The forms of the answers are in pkg/inspect/v1.
//
// # Concurrency
//
// There is nothing here that runs.
//
// # Testing
//
// The tests are those of internal/inspect/inspector, internal/inspect/answers and pkg/manager.
package inspect
