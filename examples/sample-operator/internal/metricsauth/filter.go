package metricsauth

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// +kubebuilder:rbac:groups=authentication.k8s.io,resources=tokenreviews,verbs=create,roleName=metrics-auth-role
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create,roleName=metrics-auth-role

// Filter is for a metrics server's FilterProvider.
func Filter(config *rest.Config, httpClient *http.Client) (server.Filter, error) {
	api, err := kubernetes.NewForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, fmt.Errorf("make a client that asks who may read metrics: %w", err)
	}
	return New(api), nil
}

// New returns a filter that asks an API server.
func New(api kubernetes.Interface) server.Filter {
	f := filter{api: api, known: memory{answers: map[secret]answer{}}}
	return func(log logr.Logger, next http.Handler) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if _, allowed := f.known.recall(what(q), fresh); allowed {
				next.ServeHTTP(w, q)
				return
			}
			code, err := f.judge(q)
			switch {
			case code == http.StatusOK:
				f.known.remember(what(q), nil)
			case err == nil:
				f.known.forget(q)
			default:
				if _, allowed := f.known.recall(what(q), lasting); allowed {
					code = http.StatusOK // an outage of the API server does not hide itself
					break
				}
				log.Error(err, "Can't find out whether a client may read metrics")
			}
			if code != http.StatusOK {
				http.Error(w, http.StatusText(code), code)
				return
			}
			next.ServeHTTP(w, q)
		}), nil
	}
}

// filter asks an API server, and remembers what it said.
type filter struct {
	api   kubernetes.Interface
	known memory
}

// judge returns the HTTP status to answer with. It takes no longer than a scrape may.
func (f *filter) judge(q *http.Request) (int, error) {
	token, ok := strings.CutPrefix(q.Header.Get("Authorization"), "Bearer ")
	if !ok || token == "" {
		return http.StatusUnauthorized, nil
	}
	ctx, cancel := context.WithTimeout(q.Context(), patience)
	defer cancel()
	user, met := f.known.recall(who(q), fresh)
	if !met {
		var err error
		if user, err = whoIs(ctx, f.api, token); err != nil {
			return http.StatusInternalServerError, err
		}
		if user == nil {
			return http.StatusUnauthorized, nil
		}
		f.known.remember(who(q), user)
	}
	allowed, err := may(ctx, q, f.api, user)
	switch {
	case err != nil:
		return http.StatusInternalServerError, err
	case !allowed:
		return http.StatusForbidden, nil
	}
	return http.StatusOK, nil
}

// patience is how long the API server may take to answer.
const patience = 3 * time.Second

// whoIs returns the user who has a token, or nil for a token that nobody has.
func whoIs(ctx context.Context, api kubernetes.Interface, token string) (*authenticationv1.UserInfo, error) {
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}
	answer, err := api.AuthenticationV1().TokenReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("ask who has a token: %w", err)
	}
	if !answer.Status.Authenticated {
		return nil, nil
	}
	return &answer.Status.User, nil
}

func may(ctx context.Context, q *http.Request, api kubernetes.Interface, user *authenticationv1.UserInfo) (bool, error) {
	extra := map[string]authorizationv1.ExtraValue{}
	for key, values := range user.Extra {
		extra[key] = authorizationv1.ExtraValue(values)
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user.Username, UID: user.UID, Groups: user.Groups, Extra: extra,
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: q.URL.Path, Verb: strings.ToLower(q.Method)},
	}}
	answer, err := api.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("ask whether %s may read %s: %w", user.Username, q.URL.Path, err)
	}
	return answer.Status.Allowed, nil
}
