package controlplane

import (
	"net/http"
	"testing"

	utilnet "k8s.io/apimachinery/pkg/util/net"
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
	t.Cleanup(func() { HangUp(client) })
	return client
}

// HangUp closes the idle connections of a client, which its own method does not if
// there is anything between client and transport.
func HangUp(client *http.Client) { utilnet.CloseIdleConnectionsFor(client.Transport) }
