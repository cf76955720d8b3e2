package reach

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
)

// NamespaceVariable names the operator's namespace in the environment.
const NamespaceVariable = "KUBECTL_DELTA_OPERATOR_NAMESPACE"

// where is the namespace that the user has named for the operator; empty if none. The
// kubeconfig's namespace is not meant: many work in that of a tenant.
func (o *Options) where() string {
	namespace := o.OperatorNamespace
	if of, _, err := pair("--lease", o.Lease); namespace == "" && err == nil {
		namespace = of
	}
	return cmp.Or(namespace, o.UsualOperatorNamespace)
}

// stranger returns why a Pod is shown no token; nil if it may see one.
//
// Everybody who may create a Pod in some namespace can give it each label and each name. So what was
// found is not enough: the user has to name the namespace. That is asked for each token, also for
// one that a flag gives. The operator's check takes only tokens that the API server takes for
// itself, so what an operator is shown can be used there.
//
// A ServiceAccount's own namespace needs no name: who may create Pods there can have them run
// as that account.
func (o *Options) stranger(pod *corev1.Pod) error {
	account, _, err := pair("--as-service-account", o.AsServiceAccount)
	if pod.Namespace == o.where() || err == nil && pod.Namespace == account {
		return nil
	}
	return &StrangerError{Namespace: pod.Namespace, Pod: pod.Name, Token: o.whose()}
}

// whose says which token is meant.
func (o *Options) whose() string {
	switch {
	case o.AsServiceAccount != "":
		return "a token of ServiceAccount " + o.AsServiceAccount
	case o.Token != "":
		return "the token of --token"
	case o.TokenFile != "":
		return "the token of --token-file"
	default:
		return "the token of your kubeconfig"
	}
}
