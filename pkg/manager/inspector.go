package manager

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/delta-runtime/delta-runtime/internal/answers"
	"github.com/delta-runtime/delta-runtime/internal/inspector"
	"github.com/delta-runtime/delta-runtime/internal/journal"
	"github.com/delta-runtime/delta-runtime/internal/schemas"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/inspect"
)

// AddInspector adds an inspector to the manager: the page /delta/, the API below it, and what
// `kubectl delta` asks. It shows the kinds of the cache, what changed lately, what reconcilers
// were called for, and their queues. Call it before the manager starts. It returns an error if
// the manager's cache is not ours.
//
// Without a BindAddress the manager's metrics server serves it, and has to be on. If that has TLS
// and a filter, as kubebuilder scaffolds it, a request needs the verb get for the non-resource
// URL /delta/*, and an action the verb post. If it has no TLS, only this machine is answered.
func AddInspector(mgr ctrlmanager.Manager, opts inspect.Options) error {
	if mgr == nil {
		return errors.New("add inspector: the manager is nil")
	}
	if _, err := cache.Unwrap(mgr.GetCache()); err != nil {
		return fmt.Errorf("add inspector: %w", err)
	}
	if opts.BindAddress != "" && !isLoopback(opts.BindAddress) {
		return fmt.Errorf("add inspector: BindAddress is %q, which is not a loopback address with a port: "+
			"an inspector without authentication is served on loopback only; leave BindAddress out to have it beside the metrics", opts.BindAddress)
	}
	kinds, err := schemas.Of(mgr)
	if err != nil {
		mgr.GetLogger().Error(err, "The inspector shows differences without schemas")
	}
	operator := answers.New(answers.Options{
		Cache: mgr.GetCache(), Schemas: kinds,
		Limits: journal.Limits{Deltas: opts.Deltas, Calls: opts.Reconciles, Bytes: opts.Bytes},
	})
	i := &inspected{operator: operator, done: make(chan struct{})}
	serve := inspector.Options{Actions: opts.AllowActions, Done: i.done, Logger: mgr.GetLogger().WithName("inspector")}
	handler := inspector.New(operator, serve)
	if err := mgr.Add(i); err != nil {
		return fmt.Errorf("add inspector: %w", err)
	}
	if opts.BindAddress != "" {
		return listen(mgr, opts.BindAddress, inspector.Guard(handler, serve), i.end)
	}
	if err := mgr.AddMetricsServerExtraHandler(inspector.Prefix, inspector.Beside(handler, serve)); err != nil {
		return fmt.Errorf("add inspector beside the metrics: %w", err)
	}
	return nil
}

// listen has the manager serve the handler at an address of its own. It serves as the metrics
// server does: from before the caches fill, which is when people want to know what they wait for.
func listen(mgr ctrlmanager.Manager, address string, handler http.Handler, end func()) error {
	var config net.ListenConfig
	listener, err := config.Listen(context.Background(), "tcp", address)
	if err != nil {
		return fmt.Errorf("add inspector: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: grace, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 16}
	server.RegisterOnShutdown(end) // or the server would wait for streams
	err = mgr.Add(&ctrlmanager.Server{Name: "inspector", Server: server, Listener: listener, ShutdownTimeout: new(grace)})
	if err != nil {
		return errors.Join(fmt.Errorf("add inspector: %w", err), listener.Close())
	}
	return nil
}

// isLoopback reports whether an address has a port, and a host that only this machine reaches.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
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
