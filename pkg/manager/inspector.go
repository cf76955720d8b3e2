package manager

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/delta-runtime/delta-runtime/internal/inspect/answers"
	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/internal/schema/schemas"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
	"github.com/delta-runtime/delta-runtime/pkg/inspect"
)

// AddInspector adds an inspector to the manager: the page /delta/, the API below it, and what
// `kubectl delta` asks. It shows the kinds of the cache, what changed lately, what reconcilers
// were called for, and their queues. Call it once, and before the manager starts. It returns an
// error if the manager's cache is not ours. You may wrap the cache or the client after [Configure], but not
// both: one of them has to lead the inspector to our cache.
//
// Without a BindAddress the manager's metrics server serves it, and has to be on. The inspector
// answers what the metrics' filter lets through. With the filter that kubebuilder scaffolds, a
// request needs the verb get for the non-resource URL /delta/*, and an action the verb post. The
// options have to have the filter when [Configure] is called. Without a filter, the inspector
// answers only clients whose certificate the metrics server has verified.
func AddInspector(mgr ctrlmanager.Manager, opts inspect.Options) error {
	if mgr == nil {
		return errors.New("add inspector: the manager is nil")
	}
	of := managed.Of(mgr.GetCache(), mgr.GetClient())
	if of == nil {
		_, err := cache.Unwrap(mgr.GetCache())
		return fmt.Errorf("add inspector: %w; if it is one around ours, the client has to be that of manager.Configure", err)
	}
	if opts.BindAddress != "" && !isLoopback(opts.BindAddress) {
		return fmt.Errorf("add inspector: BindAddress is %q, which is not localhost, 127.0.0.1 or [::1] with a port: "+
			"an inspector without authentication is served on loopback only; leave BindAddress out to have it beside the metrics", opts.BindAddress)
	}
	forget, err := of.Inspect()
	if err != nil {
		return fmt.Errorf("add inspector: %w", err)
	}
	if err := addInspector(mgr, of, opts); err != nil {
		forget()
		return err
	}
	return nil
}

func addInspector(mgr ctrlmanager.Manager, of *managed.Runtime, opts inspect.Options) error {
	kinds, err := of.Schemas(func() (diff.Schemas, error) { return schemas.Of(mgr) })
	if err != nil {
		mgr.GetLogger().Error(err, "The inspector shows differences without schemas")
	}
	operator := answers.New(answers.Options{
		Runtime: of, Schemas: kinds, Elected: mgr.Elected(),
		Limits: journal.Limits{Deltas: opts.Deltas, Calls: opts.Reconciles, Bytes: opts.Bytes},
	})
	i := &inspected{operator: operator, done: make(chan struct{})}
	serve := inspector.Options{Actions: opts.AllowActions, Done: i.done, Logger: mgr.GetLogger().WithName("inspector")}
	handler := inspector.New(operator, serve)
	if opts.BindAddress != "" {
		err = listen(mgr, opts.BindAddress, inspector.Guard(handler, serve), i.end)
	} else {
		err = serveBeside(mgr, inspector.Beside(handler, serve))
	}
	if err != nil {
		return err
	}
	if err := mgr.Add(i); err != nil {
		return fmt.Errorf("add inspector: %w", err)
	}
	return nil
}

// serveBeside has the metrics server serve the handler.
func serveBeside(mgr ctrlmanager.Manager, handler http.Handler) error {
	if err := mgr.AddMetricsServerExtraHandler(inspector.Prefix, handler); err != nil {
		return fmt.Errorf("add inspector beside the metrics: %w", err)
	}
	// A manager whose metrics are off takes any number of handlers for a path. One that serves them
	// takes one.
	if mgr.AddMetricsServerExtraHandler(inspector.Prefix, handler) == nil {
		return errors.New("add inspector beside the metrics: they are off; set Metrics.BindAddress of the manager's options, or BindAddress of the inspector's")
	}
	return nil
}

// marking returns a provider of the same filter, which marks what it lets through. Without a
// filter there is nothing to mark.
func marking(provider func(*rest.Config, *http.Client) (metricsserver.Filter, error)) func(*rest.Config, *http.Client) (metricsserver.Filter, error) {
	if provider == nil {
		return nil
	}
	return func(config *rest.Config, client *http.Client) (metricsserver.Filter, error) {
		filter, err := provider(config, client)
		if filter == nil || err != nil {
			return filter, err
		}
		return func(log logr.Logger, next http.Handler) (http.Handler, error) {
			return filter(log, inspector.Filtered(next))
		}, nil
	}
}

// listen has the manager serve the handler at an address of its own. It serves as the metrics
// server does: from before the caches fill, which is when people want to know what they wait for.
func listen(mgr ctrlmanager.Manager, address string, handler http.Handler, end func()) error {
	var config net.ListenConfig
	listener, err := config.Listen(context.Background(), "tcp", address)
	if err != nil {
		return fmt.Errorf("add inspector: %w; set another BindAddress of inspect.Options, as delta-adopt does by -inspector", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: grace, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 16}
	server.RegisterOnShutdown(end) // or the server would wait for streams
	err = mgr.Add(&ctrlmanager.Server{Name: "inspector", Server: server, Listener: listener, ShutdownTimeout: new(grace)})
	if err != nil {
		return errors.Join(fmt.Errorf("add inspector: %w", err), listener.Close())
	}
	mgr.GetLogger().Info("The inspector shows what the operator does", "page", "http://"+listener.Addr().String()+inspector.Prefix)
	return nil
}

// isLoopback reports whether an address has a port, and a host that [inspector.Guard] takes.
func isLoopback(address string) bool {
	_, _, err := net.SplitHostPort(address)
	return err == nil && inspector.IsLoopback(address)
}

// inspected is what the manager runs for an inspector.
type inspected struct {
	operator *answers.Operator
	once     sync.Once
	done     chan struct{} // closed by end
}

var (
	_ ctrlmanager.Runnable               = (*inspected)(nil)
	_ ctrlmanager.LeaderElectionRunnable = (*inspected)(nil)
)

// NeedLeaderElection is false: a replica that does not lead can be looked at, too.
func (*inspected) NeedLeaderElection() bool { return false }

// grace is how long requests under way have when the manager ends.
const grace = 5 * time.Second

// Start has the journal note what happens, until ctx ends.
func (i *inspected) Start(ctx context.Context) error {
	defer i.end()
	i.operator.Run(ctx)
	return nil
}

// end ends all streams.
func (i *inspected) end() { i.once.Do(func() { close(i.done) }) }
