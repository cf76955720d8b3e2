package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	clientconfig "sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// flags are the settings that the operator is started with.
type flags struct {
	metricsAddress, inspector, probeAddress, namespace, webhookCertPath string
	metricsSecure, leaderElect, http2, webhooks                         bool
	webhookPort                                                         int
	staleAfter                                                          time.Duration
	config                                                              *rest.Config
	log                                                                 logr.Logger
}

// parse reads the flags of kubebuilder's operators, and ours.
func parse(set *flag.FlagSet, args []string, getenv func(string) string) (*flags, error) {
	f := flags{webhooks: getenv("ENABLE_WEBHOOKS") != "false"}
	set.StringVar(&f.metricsAddress, "metrics-bind-address", "0", "The address that metrics are served at: :8443 for HTTPS, :8080 for HTTP, 0 for none.")
	set.BoolVar(&f.metricsSecure, "metrics-secure", true, "Serve metrics over HTTPS, to those who may read them.")
	set.StringVar(&f.inspector, "inspector-bind-address", "", "A loopback address that the inspector is served at without authentication, as 127.0.0.1:8082. By default it is beside the metrics.")
	set.StringVar(&f.probeAddress, "health-probe-bind-address", ":8081", "The address that probes are answered at.")
	set.DurationVar(&f.staleAfter, "stale-after", time.Minute, "How long a kind may not have heard the API server before the operator is not ready; 0 for any time.")
	set.BoolVar(&f.leaderElect, "leader-elect", false, "Have one of several replicas do the work.")
	set.BoolVar(&f.http2, "enable-http2", false, "Serve metrics and webhooks over HTTP/2, too.")
	set.StringVar(&f.namespace, "namespace", getenv("POD_NAMESPACE"), "The operator's own namespace. By default POD_NAMESPACE of the environment.")
	set.IntVar(&f.webhookPort, "webhook-port", 9443, "The port that webhooks are served at.")
	set.StringVar(&f.webhookCertPath, "webhook-cert-path", "", "The folder with tls.crt and tls.key for webhooks. By default that of controller-runtime, below the folder for temporary files.")
	clientconfig.RegisterFlags(set) // --kubeconfig
	logging := zap.Options{}
	logging.BindFlags(set)
	if err := set.Parse(args); err != nil {
		return nil, fmt.Errorf("read the flags: %w", err)
	}
	f.log = zap.New(zap.UseFlagOptions(&logging))
	switch {
	case f.staleAfter < 0:
		return nil, fmt.Errorf("read the flags: --stale-after is %v, and can't be less than 0", f.staleAfter)
	case f.namespace == "":
		return nil, errors.New("find the operator's own namespace: neither --namespace nor POD_NAMESPACE says it")
	}
	var err error
	if f.config, err = ctrl.GetConfig(); err != nil {
		return nil, fmt.Errorf("read how to reach the cluster: %w", err)
	}
	return &f, nil
}
