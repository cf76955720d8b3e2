package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/examples/sample-operator/internal/controller"
	webhookv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/internal/webhook/v1alpha1"
	drcache "github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/inspect"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

// scheme has the kinds that are known.
var scheme = runtime.NewScheme()

func init() {
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(webv1alpha1.AddToScheme(scheme))
}

// newManager makes a manager that has everything and has not started.
func newManager(ctx context.Context, f *flags) (ctrl.Manager, error) {
	options := options(f)
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
	if f.webhooks {
		if err := webhookv1alpha1.SetupSiteWebhookWithManager(mgr); err != nil {
			return nil, fmt.Errorf("set up the webhooks of Sites: %w", err)
		}
	}
	if err := addChecks(mgr, f); err != nil {
		return nil, err
	}
	reconciler := &controller.SiteReconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Namespace: f.namespace,
		Events: mgr.GetEventRecorderFor("sample-operator"), //nolint:staticcheck // the newer one keeps only the first of several messages with one reason, and ours differ
	}
	if err := reconciler.SetupWithManager(ctx, mgr); err != nil {
		return nil, fmt.Errorf("set up the controller of Sites: %w", err)
	}
	return mgr, nil
}

// These are the rights that the filter of the metrics needs.
//
// +kubebuilder:rbac:groups=authentication.k8s.io,resources=tokenreviews,verbs=create,roleName=metrics-auth-role
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create,roleName=metrics-auth-role

// options returns the options of the manager.
func options(f *flags) ctrl.Options {
	var tlsOptions []func(*tls.Config)
	if !f.http2 { // it is good for many requests over one connection, and here these are more likely an attack
		tlsOptions = append(tlsOptions, func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} })
	}
	metrics := metricsserver.Options{BindAddress: f.metricsAddress, SecureServing: f.metricsSecure, TLSOpts: tlsOptions}
	if f.metricsSecure {
		metrics.FilterProvider = filters.WithAuthenticationAndAuthorization
	}
	others := crcache.ByObject{Transform: controller.HideOthers(f.namespace)}
	return ctrl.Options{
		Scheme:                 scheme,
		Logger:                 f.log,
		Metrics:                metrics,
		WebhookServer:          webhook.NewServer(webhook.Options{Port: f.webhookPort, CertDir: f.webhookCertPath, TLSOpts: tlsOptions}),
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

// addChecks makes the manager answer probes. A replica is ready when its webhooks can be
// called and its cache can read every kind. It need not be the leader for that.
func addChecks(mgr ctrl.Manager, f *flags) error {
	ours, err := drcache.Unwrap(mgr.GetCache())
	if err != nil {
		return fmt.Errorf("find our cache in the manager: %w", err)
	}
	webhooks := healthz.Ping
	if f.webhooks {
		webhooks = mgr.GetWebhookServer().StartedChecker()
	}
	return errors.Join(mgr.AddHealthzCheck("healthz", healthz.Ping), mgr.AddReadyzCheck("kinds", ours.Healthz), mgr.AddReadyzCheck("webhooks", webhooks))
}
