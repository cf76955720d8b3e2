// Package metricsauth protects the metrics: it asks the API server who a client is, and
// whether that user's roles allow to read them.
//
//	GET /metrics ──token──▶ TokenReview ──user──▶ SubjectAccessReview ──▶ the metrics
//
// It does what controller-runtime's own filters do. Those come with all of
// k8s.io/apiserver, which a library should not bring to its users for an example's sake.
//
// # Concurrency
//
// The filter has no state. Scrapes are half a minute apart, so there is nothing worth
// remembering.
//
// # Testing
//
// The tests use a fake API that knows some tokens.
package metricsauth
