// Package v1alpha1 has the webhooks for Sites: what a schema cannot say.
//
//	API server ──POST──▶ /mutate-web-example-com-v1alpha1-site    Defaulter
//	           ──POST──▶ /validate-web-example-com-v1alpha1-site  Validator
//
// They look at nothing but the object, so their answer depends on no cache. What depends
// on other objects, the controller says in the status.
//
// # Concurrency
//
// Both are without state; the server calls them from any goroutine.
//
// # Testing
//
// By tables, and in the tests of the operator by a real API server that calls them.
package v1alpha1
