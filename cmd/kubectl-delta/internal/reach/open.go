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
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
)

// handshake is how long TLS may take to begin.
const handshake = 20 * time.Second

// Connection is an open way to an inspector.
type Connection struct {
	*ask.Client
	// Base and Transport are what the Client asks through.
	Base      *url.URL
	Transport http.RoundTripper
	// Refrain says why the Transport adds no token; nil if it adds what there is.
	Refrain error

	idle    *http.Transport
	forward *forward // nil if no port-forward is in between
}

// Close ends the way.
func (c *Connection) Close() error {
	c.idle.CloseIdleConnections()
	if c.forward == nil {
		return nil
	}
	return c.forward.Close()
}

func (c *Connection) alive() bool { return c.forward == nil || c.forward.alive() }

// Open finds the operator and opens the way to its inspector.
func Open(ctx context.Context, o *Options) (*Connection, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.URL != "" {
		return o.direct()
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
	there.route = route{config: config, port: there.port, url: cluster.CoreV1().RESTClient().Post().
		Resource("pods").Namespace(pod.Namespace).Name(pod.Name).SubResource("portforward").URL()}
	return o.through(ctx, there, cluster)
}

// direct opens the way to --url.
func (o *Options) direct() (*Connection, error) {
	base, err := o.address()
	if err != nil {
		return nil, err
	}
	idle := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: handshake, TLSClientConfig: o.tls("false")}
	with, err := o.given(idle)
	if err != nil {
		return nil, err
	}
	return o.connection(&Connection{Base: base, Transport: with, idle: idle}, ask.Target{Where: base.String(), Way: ask.Address}), nil
}

// place is where in a Pod an inspector is.
type place struct {
	route
	pod    *corev1.Pod
	scheme string
}

// place reads what the flags and the Pod's annotations say.
func (o *Options) place(pod *corev1.Pod) (*place, error) {
	there := &place{pod: pod, scheme: cmp.Or(o.Scheme, pod.Annotations[SchemeAnnotation], "https")}
	if there.scheme != "http" && there.scheme != "https" {
		return nil, fmt.Errorf("read the annotation %s of Pod %s: %q is neither http nor https; use --scheme", SchemeAnnotation, full(pod), there.scheme)
	}
	there.port = cmp.Or(o.Port, defaultPort)
	if text := pod.Annotations[PortAnnotation]; text != "" && o.Port == 0 {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return nil, fmt.Errorf("read the annotation %s of Pod %s: %q is not a port; use --port", PortAnnotation, full(pod), text)
		}
		there.port = int(port)
	}
	return there, nil
}

// through opens a port-forward.
func (o *Options) through(ctx context.Context, there *place, cluster kubernetes.Interface) (*Connection, error) {
	tunnel, err := there.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("open a port-forward to port %d of Pod %s: %w; it takes the right to create pods/portforward there, "+
			"and --url with a way of your own if you can't have it", there.port, full(there.pod), err)
	}
	idle := &http.Transport{DialContext: tunnel.connect, TLSHandshakeTimeout: handshake, TLSClientConfig: o.tls("true")}
	var with http.RoundTripper = idle
	refrain := o.stranger(there.pod)
	if refrain == nil {
		with, err = o.authorized(there, cluster, idle)
	}
	if err != nil {
		return nil, errors.Join(err, tunnel.Close())
	}
	// An inspector on a loopback address takes only requests that name one as their host, so
	// that no page in a browser can reach it by a name of its own. To the Pod this one is true.
	base := &url.URL{Scheme: there.scheme, Host: "127.0.0.1:" + strconv.Itoa(there.port)}
	where := fmt.Sprintf("port %d of Pod %s", there.port, full(there.pod))
	return o.connection(&Connection{Base: base, Transport: with, Refrain: refrain, idle: idle, forward: tunnel}, ask.Target{Where: where, Way: ask.Forward}), nil
}

// authorized adds a token, for an operator that may see it. The kubeconfig's own goes only to an inspector that speaks TLS:
// one that does not is on a loopback address in its Pod and asks for none.
func (o *Options) authorized(there *place, cluster kubernetes.Interface, next http.RoundTripper) (http.RoundTripper, error) {
	switch {
	case o.AsServiceAccount != "":
		return o.ofAccount(cluster, next)
	case o.Token != "" || o.TokenFile != "" || there.scheme == "http":
		return o.given(next)
	default:
		return own(there.config, next)
	}
}

func (o *Options) connection(c *Connection, to ask.Target) *Connection {
	to.Base, to.Transport, to.Refrain, to.Timeout = c.Base, c.Transport, c.Refrain, o.Timeout
	c.Client = ask.New(to)
	return c
}

// tls returns how to meet an inspector. otherwise says whether to take any certificate if the
// user has no opinion.
func (o *Options) tls(otherwise string) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.skipVerify(otherwise)}
}

// cluster reads the kubeconfig as kubectl does.
func (o *Options) cluster() (config *rest.Config, namespace string, err error) {
	loader := o.kubeconfig()
	config, err = loader.ClientConfig()
	if err != nil {
		return nil, "", fmt.Errorf("read the kubeconfig: %w; use --kubeconfig and --context, or --url for an address without a cluster", err)
	}
	config.WarningHandler = rest.NoWarnings{} // a server's warnings would get to the terminal as they are
	namespace, _, err = loader.Namespace()
	if err != nil {
		return nil, "", fmt.Errorf("read the namespace of the kubeconfig: %w", err)
	}
	return config, namespace, nil
}

func (o *Options) kubeconfig() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: o.Context}
	overrides.Context = clientcmdapi.Context{Cluster: o.Cluster, AuthInfo: o.User}
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
}

// ObjectNamespace is the namespace of the objects that one asks about.
func (o *Options) ObjectNamespace() (string, error) {
	if o.Namespace != "" || o.URL != "" {
		return cmp.Or(o.Namespace, "default"), nil
	}
	_, namespace, err := o.cluster()
	return namespace, err
}
