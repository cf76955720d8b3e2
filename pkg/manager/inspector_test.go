package manager_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/inspect"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// TestAddInspector adds inspectors to managers that can have one, and to those that can't.
func TestAddInspector(t *testing.T) {
	const on, off, foreign = "127.0.0.1:0", "0", "" // where the metrics are; a foreign cache
	made := func(metrics string) ctrlmanager.Manager {
		opts := ctrlmanager.Options{Metrics: metricsserver.Options{BindAddress: cmp.Or(metrics, off)}}
		if metrics != foreign {
			must(t, manager.Configure(&opts))
		}
		m, err := ctrlmanager.New(&rest.Config{Host: "http://nowhere"}, opts)
		must(t, err)
		return m
	}
	inspected := made(off)
	must(t, manager.AddInspector(inspected, inspect.Options{BindAddress: "127.0.0.1:0"}))
	var config net.ListenConfig
	taken, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = taken.Close() }()
	for name, c := range map[string]struct {
		m    ctrlmanager.Manager
		opts inspect.Options
		want string // in the error; empty for none
	}{
		"beside the metrics":  {made(on), inspect.Options{}, ""},
		"beside none":         {made(off), inspect.Options{}, "add inspector beside the metrics: they are off"},
		"twice":               {inspected, inspect.Options{BindAddress: "127.0.0.1:0"}, "this manager has one already"},
		"on loopback":         {made(off), inspect.Options{BindAddress: "127.0.0.1:0"}, ""},
		"on another loopback": {made(off), inspect.Options{BindAddress: "127.0.0.2:0"}, "is not localhost, 127.0.0.1 or [::1] with a port"},
		"on localhost":        {made(off), inspect.Options{BindAddress: "localhost:0"}, ""},
		"no manager":          {nil, inspect.Options{}, "add inspector: the manager is nil"},
		"a foreign cache":     {made(foreign), inspect.Options{}, "add inspector: "},
		"on all addresses":    {made(off), inspect.Options{BindAddress: ":8082"}, `BindAddress is ":8082", which is not localhost`},
		"where somebody is":   {made(off), inspect.Options{BindAddress: taken.Addr().String()}, "address already in use; set another BindAddress of inspect.Options, as delta-adopt does by -inspector"},
		"without a port":      {made(off), inspect.Options{BindAddress: "127.0.0.1"}, "is not localhost, 127.0.0.1 or [::1] with a port"},
	} {
		err := manager.AddInspector(c.m, c.opts)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q in it", name, err, c.want)
		}
	}
}

// TestAFilterIsToldApart has a metrics server with a filter, which Configure has seen, with one that
// was set later, and with none. An inspector beside the metrics answers behind the first alone.
func TestAFilterIsToldApart(t *testing.T) {
	lets := func(*rest.Config, *http.Client) (metricsserver.Filter, error) {
		return func(_ logr.Logger, next http.Handler) (http.Handler, error) { return next, nil }, nil
	}
	for name, c := range map[string]struct {
		before, after func(*rest.Config, *http.Client) (metricsserver.Filter, error)
		want          int
	}{
		"a filter":             {lets, nil, http.StatusOK},
		"one that comes later": {nil, lets, http.StatusForbidden},
		"none":                 {nil, nil, http.StatusForbidden},
	} {
		address := controlplane.FreeAddressForTest(t)
		opts := ctrlmanager.Options{Metrics: metricsserver.Options{BindAddress: address, FilterProvider: c.before}}
		must(t, manager.Configure(&opts))
		if c.after != nil {
			opts.Metrics.FilterProvider = c.after
		}
		m, err := ctrlmanager.New(&rest.Config{Host: "http://nowhere"}, opts)
		must(t, err)
		must(t, manager.AddInspector(m, inspect.Options{}))
		var running sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		running.Go(func() { _ = m.Start(ctx) })
		await.Success(t, "an answer with "+name, func() error { return answersWith(ctx, "http://"+address+"/delta/v1/kinds", c.want) })
		cancel()
		running.Wait()
	}
}

func answersWith(ctx context.Context, url string, want int) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != want {
		return fmt.Errorf("it is %s %s %w, want %d", answer.Status, text, err, want)
	}
	return nil
}
