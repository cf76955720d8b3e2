package metricsauth

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// knowing is an API that knows some tokens.
func knowing() *fake.Clientset {
	api := &fake.Clientset{}
	api.AddReactor("create", "tokenreviews", func(a clienttesting.Action) (bool, runtime.Object, error) {
		review := a.(clienttesting.CreateAction).GetObject().(*authenticationv1.TokenReview)
		if review.Spec.Token == "breaks" {
			return true, nil, errors.New("down")
		}
		review.Status.Authenticated = review.Spec.Token != "unknown"
		review.Status.User = authenticationv1.UserInfo{Username: review.Spec.Token, Groups: []string{"g"}, Extra: map[string]authenticationv1.ExtraValue{"k": {"v"}}}
		return true, review, nil
	})
	api.AddReactor("create", "subjectaccessreviews", func(a clienttesting.Action) (bool, runtime.Object, error) {
		review := a.(clienttesting.CreateAction).GetObject().(*authorizationv1.SubjectAccessReview)
		asked := review.Spec.NonResourceAttributes
		review.Status.Allowed = review.Spec.User == "prometheus" && asked.Path == "/metrics" && asked.Verb == "get" &&
			review.Spec.Groups[0] == "g" && review.Spec.Extra["k"][0] == "v"
		return true, review, nil
	})
	return api
}

func TestFilter(t *testing.T) {
	handler, err := New(knowing())(logr.Discard(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	}))
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]int{
		"Bearer prometheus": http.StatusTeapot,
		"Bearer somebody":   http.StatusForbidden,
		"Bearer unknown":    http.StatusUnauthorized,
		"Bearer breaks":     http.StatusInternalServerError,
		"Bearer ":           http.StatusUnauthorized,
		"Basic prometheus":  http.StatusUnauthorized,
		"":                  http.StatusUnauthorized,
	} {
		q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody)
		q.Header.Set("Authorization", header)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, q)
		if answer.Code != want {
			t.Errorf("%q is answered with %d, want %d", header, answer.Code, want)
		}
	}
}
