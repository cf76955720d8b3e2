package controlplane

import (
	"net/http"
	"testing"

	"k8s.io/client-go/rest"
)

// HTTPClientForTest makes a client for the config. Its connections, and so the
// goroutines that keep them, are gone when the test is.
func HTTPClientForTest(t testing.TB, config *rest.Config) *http.Client {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return client
}
