package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// flags are the settings that the operator is started with.
type flags struct {
	metricsAddress string
	metricsSecure  bool
	inspector      string
	probeAddress   string
	staleAfter     time.Duration
	leaderElect    bool
	http2          bool
	namespace      string
	webhooks       bool
	webhookPort    int
	webhookNames   []string
	config         *rest.Config
	log            logr.Logger
}

// parse reads the flags of kubebuilder's operators, and ours.
func parse(set *flag.FlagSet, args []string, getenv func(string) string) (*flags, error) {
	var f flags
	set.StringVar(&f.metricsAddress, "metrics-bind-address", "0",
		"The address that metrics are served at: :8443 for HTTPS, :8080 for HTTP, 0 for none.")
	set.BoolVar(&f.metricsSecure, "metrics-secure", true,
		"Serve metrics over HTTPS, to those who may read them.")
	set.StringVar(&f.inspector, "inspector-bind-address", "",
		"A loopback address that the inspector is served at without authentication, as 127.0.0.1:8082. By default it is beside the metrics.")
	set.StringVar(&f.probeAddress, "health-probe-bind-address", ":8081", "The address that probes are answered at.")
	set.DurationVar(&f.staleAfter, "stale-after", time.Minute,
		"How long a kind may not have heard the API server before the operator is not ready; 0 for any time.")
	set.BoolVar(&f.leaderElect, "leader-elect", false, "Have one of several replicas do the work.")
	set.BoolVar(&f.http2, "enable-http2", false, "Serve metrics and webhooks over HTTP/2, too.")
	set.StringVar(&f.namespace, "namespace", "",
		"The operator's own namespace. By default POD_NAMESPACE of the environment, or the ServiceAccount's namespace.")
	set.IntVar(&f.webhookPort, "webhook-port", 9443, "The port that webhooks are served at.")
	names := set.String("webhook-names", "", "More names and addresses that webhooks are called by, with commas between them.")
	kubeconfig := set.String("kubeconfig", "", "The file that names the cluster and the user. By default the cluster that this runs in.")
	logging := zap.Options{}
	logging.BindFlags(set)
	if err := set.Parse(args); err != nil {
		return nil, fmt.Errorf("read the flags: %w", err)
	}
	if f.staleAfter < 0 {
		return nil, fmt.Errorf("read the flags: --stale-after is %v, and can't be less than 0", f.staleAfter)
	}
	f.log = zap.New(zap.UseFlagOptions(&logging))
	f.webhooks = getenv("ENABLE_WEBHOOKS") != "false"
	f.webhookNames = strings.FieldsFunc(*names, func(r rune) bool { return r == ',' || r == ' ' })
	var err error
	if f.namespace, err = ownNamespace(f.namespace, getenv); err != nil {
		return nil, err
	}
	f.config, err = connect(cmp.Or(*kubeconfig, getenv("KUBECONFIG")))
	return &f, err
}

// serviceAccount is where a Pod finds its namespace.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

func ownNamespace(said string, getenv func(string) string) (string, error) {
	if named := cmp.Or(said, getenv("POD_NAMESPACE")); named != "" {
		return named, nil
	}
	content, err := os.ReadFile(serviceAccount)
	if err != nil {
		return "", fmt.Errorf("find the operator's own namespace, which neither --namespace nor POD_NAMESPACE says: %w", err)
	}
	namespace := strings.TrimSpace(string(content))
	if namespace == "" {
		return "", errors.New("find the operator's own namespace: " + serviceAccount + " is empty")
	}
	return namespace, nil
}

// connect reads how to reach the cluster: from a file, or else from the Pod that this
// runs in, or else from ~/.kube/config.
func connect(kubeconfig string) (*rest.Config, error) {
	if kubeconfig == "" {
		config, err := rest.InClusterConfig()
		if err == nil || !errors.Is(err, rest.ErrNotInCluster) {
			return config, err
		}
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("read how to reach the cluster: %w", err)
	}
	return config, nil
}
