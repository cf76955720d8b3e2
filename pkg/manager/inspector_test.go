package manager_test

import (
	"net"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/delta-runtime/delta-runtime/pkg/inspect"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// TestAddInspector adds inspectors to managers that can have one, and to those that can't.
func TestAddInspector(t *testing.T) {
	made := func(ours bool) ctrlmanager.Manager {
		opts := ctrlmanager.Options{Metrics: metricsserver.Options{BindAddress: "0"}}
		if ours {
			if err := manager.Configure(&opts); err != nil {
				t.Fatal(err)
			}
		}
		m, err := ctrlmanager.New(&rest.Config{Host: "http://nowhere"}, opts)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	var config net.ListenConfig
	taken, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for name, c := range map[string]struct {
		m    ctrlmanager.Manager
		opts inspect.Options
		want string // in the error; empty for none
	}{
		"beside the metrics": {made(true), inspect.Options{}, ""},
		"on loopback":        {made(true), inspect.Options{BindAddress: "127.0.0.1:0"}, ""},
		"on localhost":       {made(true), inspect.Options{BindAddress: "localhost:0"}, ""},
		"no manager":         {nil, inspect.Options{}, "add inspector: the manager is nil"},
		"a foreign cache":    {made(false), inspect.Options{}, "add inspector: "},
		"on all addresses":   {made(true), inspect.Options{BindAddress: ":8082"}, `BindAddress is ":8082", which is not a loopback address`},
		"where somebody is":  {made(true), inspect.Options{BindAddress: taken.Addr().String()}, "add inspector: listen tcp " + taken.Addr().String()},
		"without a port":     {made(true), inspect.Options{BindAddress: "127.0.0.1"}, "is not a loopback address with a port"},
	} {
		err := manager.AddInspector(c.m, c.opts)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q in it", name, err, c.want)
		}
	}
}
