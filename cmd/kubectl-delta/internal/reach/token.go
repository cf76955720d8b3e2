package reach

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// tokenSeconds is the shortest life that the TokenRequest API gives a token.
//
// No audience is asked for, and so the token is for the API server. An operator has its tokens
// reviewed without an audience of its own, which accepts no other. An object to bind the token to
// would have to be a Pod of the same account, a Node or a Secret: there may be none.
const tokenSeconds = 600

// given adds the token that the user gave, if any.
func (o *Options) given(next http.RoundTripper) (http.RoundTripper, error) {
	switch {
	case o.Token != "":
		return transport.NewBearerAuthRoundTripper(o.Token, next), nil
	case o.TokenFile != "":
		if _, err := os.ReadFile(o.TokenFile); err != nil {
			return nil, fmt.Errorf("read the token: %w", err)
		}
		return transport.NewBearerAuthWithRefreshRoundTripper("", o.TokenFile, next)
	default:
		return next, nil
	}
}

// own adds the token that the kubeconfig has for the API server, or that its plugin gets. It
// adds nothing else of the kubeconfig: a password or a certificate is not for an operator.
func own(config *rest.Config, next http.RoundTripper) (http.RoundTripper, error) {
	if config.Impersonate.UserName != "" {
		return next, nil // the token is not of the user that the kubeconfig stands for
	}
	tokens := rest.CopyConfig(config)
	tokens.Username, tokens.Password, tokens.WrapTransport, tokens.UserAgent = "", "", nil, ""
	with, err := rest.HTTPWrappersForConfig(tokens, next)
	if err != nil {
		return nil, fmt.Errorf("read the token of the kubeconfig: %w", err)
	}
	return with, nil
}

// accountTokens adds short-lived tokens of a ServiceAccount.
type accountTokens struct {
	next    http.RoundTripper
	request func(context.Context) (*authenticationv1.TokenRequest, error)

	// A mutex of internal/lock would need a rank, and the list of ranks has the locks of pkg and
	// internal alone. This one is the only lock of the program, and nothing is called under it.
	mu    sync.Mutex // guards everything below
	token string
	renew time.Time
}

// ofAccount returns a transport with tokens of --as-service-account.
func (o *Options) ofAccount(cluster kubernetes.Interface, next http.RoundTripper) (*accountTokens, error) {
	namespace, name, err := pair("--as-service-account", o.AsServiceAccount)
	if err != nil {
		return nil, err
	}
	seconds := int64(tokenSeconds)
	return &accountTokens{next: next, request: func(ctx context.Context) (*authenticationv1.TokenRequest, error) {
		asked := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
		got, err := cluster.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, asked, metav1.CreateOptions{})
		if err != nil {
			return nil, fmt.Errorf("ask for a token of ServiceAccount %s/%s: %w", namespace, name, err)
		}
		return got, nil
	}}, nil
}

// RoundTrip adds a token that is good for a while yet.
func (a *accountTokens) RoundTrip(request *http.Request) (*http.Response, error) {
	token, err := a.current(request.Context())
	if err != nil {
		if request.Body != nil {
			err = errors.Join(err, request.Body.Close())
		}
		return nil, err
	}
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+token)
	return a.next.RoundTrip(request)
}

// current returns a token. Two requests at once may both ask for one, which does no harm.
func (a *accountTokens) current(ctx context.Context) (string, error) {
	a.mu.Lock()
	token, renew := a.token, a.renew
	a.mu.Unlock()
	if token != "" && time.Now().Before(renew) {
		return token, nil
	}
	asked := time.Now()
	got, err := a.request(ctx)
	if err != nil {
		return "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	// By this machine's clock, which may differ from the server's. A minute is left for the way.
	a.token, a.renew = got.Status.Token, asked.Add((tokenSeconds-60)*time.Second)
	return a.token, nil
}
