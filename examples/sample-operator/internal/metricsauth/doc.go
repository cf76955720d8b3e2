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
// The filter asks for each request. It remembers what the API server has allowed, and falls back
// on that for a quarter of an hour while the server does not answer, so that its outage can be seen.
//
// # Testing
//
// The tests use a fake API that knows some tokens.
package metricsauth
