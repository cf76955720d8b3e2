package reach

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
)

// Connection is an open way to an inspector.
type Connection struct {
	*ask.Client

	idle    *http.Transport
	forward *forward    // nil if no port-forward is in between
	broken  atomic.Bool // somebody said so
}

// Broken says that nothing comes through any more. A Keeper replaces the Connection.
func (c *Connection) Broken() { c.broken.Store(true) }

// Close ends the way.
func (c *Connection) Close() error {
	if c.idle != nil {
		c.idle.CloseIdleConnections()
	}
	if c.forward == nil {
		return nil
	}
	return c.forward.Close()
}

func (c *Connection) alive() bool {
	return !c.broken.Load() && (c.forward == nil || c.forward.alive())
}

// Open finds the operator and opens the way to its inspector.
func Open(ctx context.Context, o *Options) (*Connection, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.URL != "" {
		return o.direct(ctx)
	}
	config, home, err := o.cluster()
	if err != nil {
		return nil, err
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("it took more than %s", o.Timeout))
		defer cancel()
	}
	cluster, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("prepare requests to the cluster: %w", err)
	}
	pod, err := (&finder{Options: o, cluster: cluster, home: home}).find(ctx)
	if err != nil {
		return nil, err
	}
	there, err := o.place(pod)
	if err != nil {
		return nil, err
	}
	there.config, there.cluster = config, cluster
	return o.through(ctx, there)
}

// direct opens the way to --url.
func (o *Options) direct(ctx context.Context) (*Connection, error) {
	base, err := o.address()
	if err != nil {
		return nil, err
	}
	idle := over(o.SkipVerify)
	with, err := o.authorized(ctx, nil, idle)
	if err != nil {
		return nil, err
	}
	return &Connection{idle: idle, Client: &ask.Client{Base: base, Where: base.String(), Transport: with, Timeout: o.Timeout,
		Tokens: "use --token or --token-file, with a token such as kubectl create token makes"}}, nil
}

// place is where an inspector is.
type place struct {
	config  *rest.Config
	cluster kubernetes.Interface
	pod     *corev1.Pod
	scheme  string
	port    uint16
}

// place reads what the flags and the Pod's annotations say.
func (o *Options) place(pod *corev1.Pod) (*place, error) {
	there := &place{pod: pod, scheme: cmp.Or(o.Scheme, pod.Annotations[SchemeAnnotation], "https"), port: cmp.Or(o.Port, defaultPort)}
	if there.scheme != "http" && there.scheme != "https" {
		return nil, fmt.Errorf("read the annotation %s of Pod %s: %q is neither http nor https; use --scheme", SchemeAnnotation, full(pod), there.scheme)
	}
	if text := pod.Annotations[PortAnnotation]; text != "" && o.Port == 0 {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return nil, fmt.Errorf("read the annotation %s of Pod %s: %q is not a port; use --port", PortAnnotation, full(pod), text)
		}
		there.port = uint16(port)
	}
	return there, nil
}

// through opens a port-forward.
func (o *Options) through(ctx context.Context, there *place) (*Connection, error) {
	tunnel, err := there.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("open a port-forward to port %d of Pod %s: %w; it takes the right to create pods/portforward there, "+
			"and --url with a way of your own if you can't have it", there.port, full(there.pod), err)
	}
	idle := over(true)
	idle.DialContext = tunnel.connect
	c := &Connection{idle: idle, forward: tunnel, Client: &ask.Client{
		// An inspector on a loopback address takes only requests that name one as their host, so
		// that no page in a browser can reach it by a name of its own. To the Pod this one is true.
		Base:      &url.URL{Scheme: there.scheme, Host: "127.0.0.1:" + strconv.Itoa(int(there.port))},
		Where:     fmt.Sprintf("port %d of Pod %s", there.port, full(there.pod)),
		Tokens:    "use --as-service-account NAMESPACE/NAME, --token or --token-file",
		Transport: idle, Refrain: o.stranger(there.pod), Timeout: o.Timeout,
	}}
	if c.Refrain == nil {
		c.Transport, err = o.authorized(ctx, there, idle)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// over returns how to meet an inspector. skip says whether to take any certificate.
func over(skip bool) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 20 * time.Second,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: skip},
	}
}

// cluster reads the kubeconfig as kubectl does.
func (o *Options) cluster() (config *rest.Config, namespace string, err error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: o.Context})
	config, err = loader.ClientConfig()
	if err != nil {
		return nil, "", fmt.Errorf("read the kubeconfig: %w; use --kubeconfig and --context, or --url for an address without a cluster", err)
	}
	config.WarningHandler = rest.NoWarnings{} // a server's warnings would get to the terminal as they are
	config.Timeout = o.Timeout
	namespace, _, err = loader.Namespace()
	if err != nil {
		return nil, "", fmt.Errorf("read the namespace of the kubeconfig: %w", err)
	}
	return config, namespace, nil
}

// ObjectNamespace is the namespace of the objects that one asks about without naming it.
func (o *Options) ObjectNamespace() (string, error) {
	if o.URL != "" {
		return "default", nil
	}
	_, namespace, err := o.cluster()
	return namespace, err
}
