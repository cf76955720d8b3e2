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
// Any number of requests may be asked about at once. The filter takes an answer of the API server
// for granted for ten seconds. While the server does not answer, what it has allowed stays
// allowed for a quarter of an hour, so that its outage can be seen.
//
// # Testing
//
// The tests use a fake API that knows some tokens.
package metricsauth
