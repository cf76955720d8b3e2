package reach

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// The labels and annotations that Pods of an operator may have.
const (
	// Label marks Pods that serve an inspector.
	Label = "delta-runtime.dev/inspector=true"
	// KubebuilderLabel is what kubebuilder gives the Pods of an operator.
	KubebuilderLabel = "control-plane=controller-manager"
	// PortAnnotation and SchemeAnnotation of a Pod say where it serves its inspector.
	PortAnnotation   = "delta-runtime.dev/inspector-port"
	SchemeAnnotation = "delta-runtime.dev/inspector-scheme"
)

// defaultPort is where kubebuilder's operators serve their metrics.
const defaultPort = 8443

// Options say which operator is meant and how to reach it. The zero value means: the only
// operator in the cluster of the kubeconfig's current context.
type Options struct {
	// URL is an inspector's address; then no cluster is used.
	URL string

	Kubeconfig, Context string
	// Namespace is the namespace of the objects that are asked about.
	Namespace string

	// OperatorNamespace is where the operator's Pods are; empty for everywhere. Only Pods in a
	// namespace that is named get a token. The kubeconfig's namespace is not meant: many work in that of
	// a tenant.
	OperatorNamespace string
	// Operator is the name of a Pod, or of a Deployment if there is no such Pod.
	Operator string

	Port   uint16
	Scheme string

	Token, TokenFile string
	// AsServiceAccount is NAMESPACE/NAME.
	AsServiceAccount string
	// SkipVerify takes any certificate at URL. Through a port-forward each is taken: there the API server and the kubelet
	// answer for the Pod, and an operator's certificate is usually its own.
	SkipVerify bool

	Timeout time.Duration
}

// AddTo adds a flag for each option. The namespace of the operator may be set already, by the environment.
func (o *Options) AddTo(flags *pflag.FlagSet) {
	flags.StringVar(&o.Kubeconfig, "kubeconfig", "", "path of the kubeconfig")
	flags.StringVar(&o.Context, "context", "", "context of the kubeconfig")
	flags.StringVarP(&o.Namespace, "namespace", "n", "", "namespace of the object that you ask about")
	flags.StringVar(&o.URL, "url", "", "address of the inspector, such as https://localhost:8443: then no cluster is used")
	flags.StringVar(&o.Operator, "operator", "", "the operator: the name of a Pod or a Deployment")
	flags.StringVar(&o.OperatorNamespace, "operator-namespace", o.OperatorNamespace,
		"namespace of the operator's Pods. Only an operator whose namespace you name gets a token, because everybody who may create a Pod\n"+
			"can label it as an operator's (the environment's "+NamespaceVariable+"; without one it looks in all, and shows no token)")
	flags.Uint16Var(&o.Port, "port", 0, "the inspector's port in the Pod (annotation "+PortAnnotation+", or 8443)")
	flags.StringVar(&o.Scheme, "scheme", "", "http or https (annotation "+SchemeAnnotation+", or https)")
	flags.StringVar(&o.Token, "token", "", "bearer token for the inspector; other users of this machine may see it, --token-file does not show it")
	flags.StringVar(&o.TokenFile, "token-file", "", "file with the bearer token for the inspector")
	flags.StringVar(&o.AsServiceAccount, "as-service-account", "",
		"NAMESPACE/NAME of a ServiceAccount: asks the cluster for a token of it, so that the operator does not get yours. It lasts ten\n"+
			"minutes. It can do all that the account can, also in the cluster's API: give the account no right but the inspector's.\n"+
			"If the account is in the operator's namespace, you need not name that")
	flags.BoolVar(&o.SkipVerify, "insecure-skip-tls-verify", false, "with --url: take any certificate from the inspector, as is done through a port-forward")
	flags.DurationVar(&o.Timeout, "request-timeout", 30*time.Second, "how long an answer may take; 0 for any time")
}

// check finds options that can't be meant, before anything is sent anywhere.
func (o *Options) check() error {
	given := slices.DeleteFunc([]string{o.Token, o.TokenFile, o.AsServiceAccount}, func(text string) bool { return text == "" })
	switch {
	case len(given) > 1:
		return Misuse("use only one of --token, --token-file and --as-service-account")
	case o.Scheme != "" && o.Scheme != "http" && o.Scheme != "https":
		return Misuse("--scheme is http or https, not %q", o.Scheme)
	case o.URL != "" && o.AsServiceAccount != "":
		return Misuse("--as-service-account asks a cluster for a token, and --url uses none: make one with kubectl create token, and use --token-file")
	case o.URL != "" && (o.Operator != "" || o.Port != 0 || o.Scheme != ""):
		return Misuse("--url names the inspector already: leave out --operator, --scheme and --port")
	}
	return nil
}

// address reads --url.
func (o *Options) address() (*url.URL, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return nil, Misuse("--url %q is not an address: it looks like https://localhost:8443", o.URL)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, Misuse("--url %q is not an address: it begins with http:// or https:// and a host", o.URL)
	case u.User != nil:
		return nil, Misuse("--url has a user in it, which nothing would see: use --token-file")
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, Misuse("--url %q has more than a host: leave out what follows it", o.URL)
	case u.Scheme == "http" && !loopback(u.Host) && (o.Token != "" || o.TokenFile != ""):
		return nil, Misuse("the token would travel to %s for everybody to read: use https", u.Host)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

// loopback reports whether a host, with or without a port, is this machine. The inspector has such
// a check of its own, which looks at what a browser sends: of 127.0.0.0/8 it takes 127.0.0.1 alone.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.IsLoopback()
}

// account reads --as-service-account.
func (o *Options) account() (namespace, name string, err error) {
	namespace, name, _ = strings.Cut(o.AsServiceAccount, "/")
	if namespace == "" || name == "" || strings.Contains(name, "/") {
		return "", "", Misuse("--as-service-account is NAMESPACE/NAME, not %q", o.AsServiceAccount)
	}
	return namespace, name, nil
}

// UsageError is a sentence about a command line that can't be meant.
type UsageError string

func (u UsageError) Error() string { return string(u) }

// Misuse returns a UsageError.
func Misuse(format string, args ...any) error { return UsageError(fmt.Sprintf(format, args...)) }

// AmbiguousError says that several Pods may be meant.
type AmbiguousError struct {
	Why string
	// Choices are the flags that name each of the Pods.
	Choices []string
}

func (a *AmbiguousError) Error() string {
	return fmt.Sprintf("find the operator: %s: use %s", a.Why, strings.Join(a.Choices, ", or "))
}
