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
	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
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
	i := &inspected{operator: operator, address: opts.BindAddress, done: make(chan struct{})}
	serve := inspector.Options{Actions: opts.AllowActions, Done: i.done, Logger: mgr.GetLogger().WithName("inspector")}
	i.handler = inspector.New(operator, serve)
	if opts.BindAddress != "" {
		i.handler = inspector.Guard(i.handler, serve)
	} else if err := mgr.AddMetricsServerExtraHandler(inspector.Prefix, inspector.Beside(i.handler, serve)); err != nil {
		return fmt.Errorf("add inspector beside the metrics: %w", err)
	}
	if err := mgr.Add(i); err != nil {
		return fmt.Errorf("add inspector: %w", err)
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
	address  string // empty: the metrics server serves the handler
	handler  http.Handler
	done     chan struct{} // closed when it ends
}

var (
	_ ctrlmanager.Runnable               = (*inspected)(nil)
	_ ctrlmanager.LeaderElectionRunnable = (*inspected)(nil)
)

// NeedLeaderElection is false: a replica that does not lead can be looked at, too.
func (*inspected) NeedLeaderElection() bool { return false }

// grace is how long requests under way have when the manager ends.
const grace = 5 * time.Second

// Start has the journal note what happens, and serves the handler if nobody else does, until ctx
// ends.
func (i *inspected) Start(ctx context.Context) error {
	end := sync.OnceFunc(func() { close(i.done) })
	defer end()
	if i.address == "" {
		i.operator.Run(ctx)
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", i.address)
	if err != nil {
		return fmt.Errorf("serve inspector: %w", err)
	}
	server := &http.Server{Handler: i.handler, ReadHeaderTimeout: grace, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 16}
	tasks := lifecycle.New(ctx)
	tasks.Go("note what happens", func(ctx context.Context) error {
		i.operator.Run(ctx)
		return nil
	})
	tasks.Go("serve the inspector", func(context.Context) error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	tasks.Guest("end the inspector", func(stopping context.Context) {
		<-stopping.Done()
		end() // or the server would wait for streams
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close() // what is left is cut
		}
	})
	return tasks.Wait()
}
