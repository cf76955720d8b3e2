package operator

import (
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/realtime"
)

func TestMain(m *testing.M) {
	logger := logr.Discard()
	if os.Getenv("OPERATOR_LOG") != "" {
		logger = funcr.New(func(prefix, args string) { fmt.Fprintln(os.Stderr, prefix, args) },
			funcr.Options{LogTimestamp: true, TimestampFormat: "15:04:05.000"})
	}
	log.SetLogger(logger)
	klog.SetLogger(logger)
	realtime.Main(shared.Around(m))
}

// shared is the control plane that all tests use.
var shared controlplane.Shared

// administrator returns the configuration of a user who may do everything on the shared
// control plane. The kind Widget is defined there.
func administrator(t *testing.T) *rest.Config {
	t.Helper()
	config := shared.ForTest(t).Config()
	define(t, directly(t, config), widgets)
	return config
}

// directly returns a client that reads from the server, and not from a cache. Its connections
// are closed when the test ends.
func directly(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	connections := controlplane.HTTPClientForTest(t, config)
	api, err := client.New(config, client.Options{HTTPClient: connections, Scheme: newScheme()})
	must(t, err)
	return api
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
