package operator

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"go.uber.org/goleak"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/delta-runtime/delta-runtime/internal/controlplane"
)

// patience is how long anything may take that needs no more than the machine's
// attention, and the longest pause between two tries of a cache.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	logger := logr.Discard()
	if os.Getenv("OPERATOR_LOG") != "" {
		logger = funcr.New(func(prefix, args string) { fmt.Fprintln(os.Stderr, prefix, args) },
			funcr.Options{LogTimestamp: true, TimestampFormat: "15:04:05.000"})
	}
	log.SetLogger(logger)
	klog.SetLogger(logger)
	goleak.VerifyTestMain(all{m}, whatTheyLeave()...)
}

// whatTheyLeave excuses what controller-runtime's own cache leaves behind.
func whatTheyLeave() []goleak.Option {
	if chosenCache() != "controller-runtime" {
		return nil
	}
	// An event that arrives when nobody reads the watch of metadata any more.
	return []goleak.Option{goleak.IgnoreTopFunction("k8s.io/apimachinery/pkg/watch.(*filteredWatch).loop")}
}

// all is every test, and the end of what they share.
type all struct{ *testing.M }

// Run returns the exit code.
func (a all) Run() int {
	code := a.M.Run()
	if shared.plane != nil {
		shared.plane.Stop()
	}
	return code
}

// shared is the control plane of all tests.
var shared struct {
	once  sync.Once
	plane *controlplane.Plane
	err   error
}

// administrator returns the configuration of somebody who may do everything on the
// shared control plane, which has the kind Widget.
func administrator(t *testing.T) *rest.Config {
	t.Helper()
	if config := inherited(t); config != nil {
		return config
	}
	shared.once.Do(func() { shared.plane, shared.err = controlplane.Start(context.Background(), controlplane.Options{}) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	config := shared.plane.Config()
	define(t, directly(t, config), widgets)
	return config
}

// directly returns a client that reads from the server itself. Its connections are
// gone when the test is.
func directly(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	connections := controlplane.HTTPClientForTest(t, config)
	api, err := client.New(config, client.Options{HTTPClient: connections, Scheme: newScheme()})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// waitUntil looks again and again whether it is done.
func waitUntil(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.After(patience)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for !done() {
		select {
		case <-deadline:
			t.Fatalf("waited %v for %s", patience, what)
		case <-again.C:
		}
	}
}

// await waits for a channel to be closed.
func await(t *testing.T, what string, closed <-chan struct{}) {
	t.Helper()
	select {
	case <-closed:
	case <-time.After(patience):
		t.Fatalf("waited %v for %s", patience, what)
	}
}
