package reach

import (
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

	Kubeconfig, Context, Cluster, User string
	// Namespace is the namespace of the objects that are asked about.
	Namespace string

	// OperatorNamespace is where the operator's Pods are; empty for everywhere. Only Pods in a
	// namespace that is named get a token.
	OperatorNamespace string
	// UsualOperatorNamespace is meant if nothing else says where the Pods are.
	UsualOperatorNamespace string
	// Operator is the name of a Pod or Deployment, or pod/NAME or deployment/NAME.
	Operator string
	Selector string
	// Lease is NAMESPACE/NAME.
	Lease string

	Port   int
	Scheme string

	Token, TokenFile string
	// AsServiceAccount is NAMESPACE/NAME.
	AsServiceAccount string
	// SkipVerify is "true", "false", or empty for what suits the way.
	SkipVerify string

	Timeout time.Duration
}

// AddTo adds a flag for each option.
func (o *Options) AddTo(flags *pflag.FlagSet) {
	flags.StringVar(&o.Kubeconfig, "kubeconfig", "", "path of the kubeconfig")
	flags.StringVar(&o.Context, "context", "", "context of the kubeconfig")
	flags.StringVar(&o.Cluster, "cluster", "", "cluster of the kubeconfig")
	flags.StringVar(&o.User, "user", "", "user of the kubeconfig")
	flags.StringVarP(&o.Namespace, "namespace", "n", "", "namespace of the object that you ask about")
	flags.StringVar(&o.URL, "url", "", "address of the inspector, such as https://localhost:8443: then no cluster is used")
	flags.StringVar(&o.Operator, "operator", "", "the operator: NAME of a Pod or Deployment, pod/NAME or deployment/NAME")
	flags.StringVar(&o.OperatorNamespace, "operator-namespace", "",
		"namespace of the operator's Pods. Only an operator whose namespace you name gets a token, because everybody who may create a Pod\n"+
			"can label it as an operator's (the environment's "+NamespaceVariable+"; without one it looks in all, and shows no token)")
	flags.StringVar(&o.Selector, "selector", "", "labels of the operator's Pods ("+Label+" or "+KubebuilderLabel+")")
	flags.StringVar(&o.Lease, "lease", "", "NAMESPACE/NAME of the Lease whose holder is the operator's leader (found by itself)")
	flags.IntVar(&o.Port, "port", 0, "the inspector's port in the Pod (annotation "+PortAnnotation+", or 8443)")
	flags.StringVar(&o.Scheme, "scheme", "", "http or https (annotation "+SchemeAnnotation+", or https)")
	flags.StringVar(&o.Token, "token", "", "bearer token for the inspector; other users of this machine may see it, --token-file does not show it")
	flags.StringVar(&o.TokenFile, "token-file", "", "file with the bearer token for the inspector")
	flags.StringVar(&o.AsServiceAccount, "as-service-account", "",
		"NAMESPACE/NAME of a ServiceAccount: asks the cluster for a token of it, so that the operator does not get yours. It lasts ten\n"+
			"minutes. It can do all that the account can, also in the cluster's API: give the account no right but the inspector's.\n"+
			"If the account is in the operator's namespace, you need not name that")
	flags.StringVar(&o.SkipVerify, "insecure-skip-tls-verify", "",
		"true takes any certificate from the inspector. Through a port-forward that is the default, because there the API server\n"+
			"and the kubelet answer for the Pod, and an operator's certificate is usually its own; with --url the default is false")
	flags.Lookup("insecure-skip-tls-verify").NoOptDefVal = "true"
	flags.DurationVar(&o.Timeout, "request-timeout", 30*time.Second, "how long an answer may take; 0 for any time")
}
