package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/examples/sample-operator/internal/certs"
	"github.com/delta-runtime/delta-runtime/examples/sample-operator/internal/controller"
	"github.com/delta-runtime/delta-runtime/examples/sample-operator/internal/events"
	"github.com/delta-runtime/delta-runtime/examples/sample-operator/internal/metricsauth"
	webhookv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/internal/webhook/v1alpha1"
	drcache "github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/inspect"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

// newManager makes a manager that has everything and has not started.
func newManager(ctx context.Context, f *flags) (ctrl.Manager, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	broadcaster, err := events.NewBroadcaster(events.Options{Metrics: metrics.Registry, Log: f.log.WithName("events")})
	if err != nil {
		return nil, err
	}
	keeper, err := newKeeper(f, scheme)
	if err != nil {
		return nil, err
	}
	options := options(f, scheme)
	options.EventBroadcaster = broadcaster //nolint:staticcheck // no other option takes a broadcaster; it is deprecated because others leak theirs
	options.WebhookServer = keeper.Guard(webhook.NewServer(webhook.Options{
		Port: f.webhookPort, TLSOpts: append(tlsOptions(f), func(c *tls.Config) { c.GetCertificate = keeper.GetCertificate }),
	}))
	// Our cache, under controller-runtime's manager, and a client that knows its own writes.
	// If it has not heard the server for so long, the operator is not ready.
	if err := drmanager.Configure(&options, drmanager.WithCache(drcache.Options{StaleAfter: f.staleAfter})); err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(f.config, options)
	if err != nil {
		return nil, fmt.Errorf("make the manager: %w", err)
	}
	// The page /delta/, beside the metrics for those who may read it; see config/rbac.
	if f.inspector != "" || f.metricsAddress != "0" {
		if err := drmanager.AddInspector(mgr, inspect.Options{BindAddress: f.inspector, AllowActions: true}); err != nil {
			return nil, err
		}
	}
	if err := mgr.Add(broadcaster); err != nil {
		return nil, fmt.Errorf("have the manager write Events: %w", err)
	}
	if err := addWebhooks(mgr, f, keeper); err != nil {
		return nil, err
	}
	if err := addChecks(mgr, f); err != nil {
		return nil, err
	}
	reconciler := &controller.SiteReconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Namespace: f.namespace,
		Events: mgr.GetEventRecorderFor("sample-operator"), //nolint:staticcheck // the other API has no seam for a broadcaster
	}
	if err := reconciler.SetupWithManager(ctx, mgr); err != nil {
		return nil, fmt.Errorf("set up the controller of Sites: %w", err)
	}
	return mgr, nil
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, webv1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("list the kinds that are known: %w", err)
		}
	}
	return scheme, nil
}

// options returns the options of the manager.
func options(f *flags, scheme *runtime.Scheme) ctrl.Options {
	others := crcache.ByObject{Transform: controller.HideOthers(f.namespace)}
	return ctrl.Options{
		Scheme:                 scheme,
		Logger:                 f.log,
		Metrics:                metricsOptions(f),
		HealthProbeBindAddress: f.probeAddress,
		LeaderElection:         f.leaderElect, LeaderElectionNamespace: f.namespace,
		LeaderElectionID: "sample-operator.web.example.com",
		// The process ends when the manager does, so nothing happens after it has given the lease
		// back. The next leader need not wait until the lease runs out.
		LeaderElectionReleaseOnCancel: true,
		// A replica that waits to be leader fills its cache already.
		Controller: ctrlconfig.Controller{EnableWarmup: new(true)},
		// A bug can't show what the cache does not have.
		Cache: crcache.Options{ByObject: map[client.Object]crcache.ByObject{
			&corev1.Secret{}:     {Transform: controller.HideSecret},
			&corev1.ConfigMap{}:  others,
			&corev1.Service{}:    others,
			&appsv1.Deployment{}: others,
		}},
		// A reconcile that follows a write sees it.
		Client:                  client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: new(true)}},
		GracefulShutdownTimeout: new(30 * time.Second),
	}
}

func metricsOptions(f *flags) metricsserver.Options {
	o := metricsserver.Options{BindAddress: f.metricsAddress, SecureServing: f.metricsSecure, TLSOpts: tlsOptions(f)}
	if f.metricsSecure {
		o.FilterProvider = metricsauth.Filter
	}
	return o
}

// tlsOptions switch off HTTP/2 unless a flag asks for it. It is good for many requests over
// one connection, and here these are more likely an attack than a scrape.
func tlsOptions(f *flags) []func(*tls.Config) {
	if f.http2 {
		return nil
	}
	return []func(*tls.Config){func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }}
}

// newKeeper gives the Keeper a client without a cache, because the Keeper works before there
// is a cache.
func newKeeper(f *flags, scheme *runtime.Scheme) (*certs.Keeper, error) {
	api, err := client.New(f.config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("make the client that keeps the webhooks' certificate: %w", err)
	}
	return certs.NewKeeper(certs.Options{
		API: api, Namespace: f.namespace, Names: f.webhookNames, Log: f.log.WithName("certs"),
	}), nil
}

func addWebhooks(mgr ctrl.Manager, f *flags, keeper *certs.Keeper) error {
	if !f.webhooks {
		return nil
	}
	if err := mgr.Add(keeper); err != nil {
		return fmt.Errorf("have the manager keep the webhooks' certificate: %w", err)
	}
	if err := webhookv1alpha1.SetupSiteWebhookWithManager(mgr); err != nil {
		return fmt.Errorf("set up the webhooks of Sites: %w", err)
	}
	return nil
}

// addChecks makes the manager answer probes. A replica is ready when its webhooks can be
// called and its cache can read every kind. It need not be the leader for that.
func addChecks(mgr ctrl.Manager, f *flags) error {
	ours, err := drcache.Unwrap(mgr.GetCache())
	if err != nil {
		return fmt.Errorf("find our cache in the manager: %w", err)
	}
	ready := map[string]healthz.Checker{"kinds": ours.Healthz}
	if f.webhooks {
		ready["webhooks"] = mgr.GetWebhookServer().StartedChecker()
	}
	for name, check := range ready {
		if err := mgr.AddReadyzCheck(name, check); err != nil {
			return fmt.Errorf("add the readiness check %s: %w", name, err)
		}
	}
	if err := mgr.AddHealthzCheck("healthz", healthz.Ping); err != nil {
		return fmt.Errorf("add the health check: %w", err)
	}
	return nil
}
