// Package metricsauth lets those read metrics who may: it asks the API server who
// somebody is, and what the roles say of them.
//
//	GET /metrics ──token──▶ TokenReview ──user──▶ SubjectAccessReview ──▶ the metrics
//
// It does what controller-runtime's own filters do. Those come with all of
// k8s.io/apiserver, which a library should not bring to its users for an example's sake.
//
// # Concurrency
//
// The filter is without state. There is nothing to remember between two scrapes of half
// a minute.
//
// # Testing
//
// Against a fake API that knows some tokens.
package metricsauth
