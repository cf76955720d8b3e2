package reach

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"golang.org/x/oauth2"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// NamespaceVariable names the operator's namespace in the environment.
const NamespaceVariable = "KUBECTL_DELTA_OPERATOR_NAMESPACE"

// tokenSeconds is the shortest life that the TokenRequest API gives a token.
//
// No audience is asked for, and so the token is for the API server. An operator has its tokens
// reviewed without an audience of its own, which accepts no other. An object to bind the token to
// would have to be a Pod of the same account, a Node or a Secret: there may be none.
const tokenSeconds = 600

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
	account, _, _ := o.account()
	if pod.Namespace == o.OperatorNamespace || pod.Namespace == account {
		return nil
	}
	return fmt.Errorf("the Pod %s in namespace %s asks for a token, and you have not named this namespace: the person who runs it would see your token, and "+
		"could use it; if it is your operator, use --operator-namespace %[2]s", pod.Name, pod.Namespace)
}

// authorized adds a token, for an operator that may see it. The kubeconfig's own goes only to an inspector that speaks TLS:
// one that does not is on a loopback address in its Pod and asks for none. Nothing else of the kubeconfig
// is added: a password or a certificate is not for an operator.
func (o *Options) authorized(ctx context.Context, there *place, next http.RoundTripper) (http.RoundTripper, error) {
	switch {
	case o.AsServiceAccount != "":
		return o.ofAccount(ctx, there, next)
	case o.Token != "":
		return transport.NewBearerAuthRoundTripper(o.Token, next), nil
	case o.TokenFile != "":
		if _, err := os.ReadFile(o.TokenFile); err != nil {
			return nil, fmt.Errorf("read the token: %w", err)
		}
		return transport.NewBearerAuthWithRefreshRoundTripper("", o.TokenFile, next)
	case there == nil || there.scheme == "http" || there.config.Impersonate.UserName != "":
		return next, nil // there is no token, or it is not of the user that the kubeconfig stands for
	}
	own := rest.CopyConfig(there.config)
	own.Username, own.Password, own.WrapTransport, own.UserAgent = "", "", nil, ""
	with, err := rest.HTTPWrappersForConfig(own, next)
	if err != nil {
		return nil, fmt.Errorf("read the token of the kubeconfig: %w", err)
	}
	return with, nil
}

// ofAccount adds short-lived tokens of --as-service-account.
func (o *Options) ofAccount(ctx context.Context, there *place, next http.RoundTripper) (http.RoundTripper, error) {
	namespace, name, err := o.account()
	if err != nil {
		return nil, err
	}
	request := func(ctx context.Context) (*oauth2.Token, error) {
		seconds, began := int64(tokenSeconds), time.Now()
		asked := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
		got, err := there.cluster.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, asked, metav1.CreateOptions{})
		if err != nil {
			return nil, fmt.Errorf("ask for a token of ServiceAccount %s/%s: %w", namespace, name, err)
		}
		// By this machine's clock, which may differ from the server's.
		return &oauth2.Token{AccessToken: got.Status.Token, Expiry: began.Add(tokenSeconds * time.Second)}, nil
	}
	first, err := request(ctx)
	if err != nil {
		return nil, err
	}
	later := context.WithoutCancel(ctx) // the configuration of the cluster limits how long a request takes
	source := oauth2.ReuseTokenSourceWithExpiry(first, tokens(func() (*oauth2.Token, error) { return request(later) }), time.Minute)
	return &oauth2.Transport{Source: source, Base: next}, nil
}

// tokens is a source of tokens.
type tokens func() (*oauth2.Token, error)

func (t tokens) Token() (*oauth2.Token, error) { return t() }
