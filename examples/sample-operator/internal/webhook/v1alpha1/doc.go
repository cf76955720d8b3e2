// Package v1alpha1 has the webhooks for Sites. They do the checks that a schema can't.
//
//	API server ──POST──▶ /mutate-web-example-com-v1alpha1-site    Defaulter
//	           ──POST──▶ /validate-web-example-com-v1alpha1-site  Validator
//
// They look only at the object, so their answer depends on no cache. The controller checks
// what depends on other objects, and writes it into the status.
//
// # Concurrency
//
// Both have no state. The server calls them from any goroutine.
//
// # Testing
//
// The tests are tables. In the tests of the operator a real API server calls the webhooks.
package v1alpha1
