package metricsauth

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

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

// TestAnOutageDoesNotHideItself stops the API for a client that was allowed to read, for one that was
// not, and for one that has lost the right since.
func TestAnOutageDoesNotHideItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, down, revoked := knowing(), false, false
		api.PrependReactor("create", "tokenreviews", func(clienttesting.Action) (bool, runtime.Object, error) {
			switch {
			case down:
				return true, nil, errors.New("down")
			case revoked:
				return true, &authenticationv1.TokenReview{}, nil
			default:
				return false, nil, nil
			}
		})
		handler, err := New(api)(logr.Discard(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
		if err != nil {
			t.Fatal(err)
		}
		expect := func(when, method, token string, want int) {
			t.Helper()
			q := httptest.NewRequestWithContext(t.Context(), method, "/metrics", http.NoBody)
			q.Header.Set("Authorization", "Bearer "+token)
			answer := httptest.NewRecorder()
			if handler.ServeHTTP(answer, q); answer.Code != want {
				t.Errorf("%s: %s by %s is answered with %d, want %d", when, method, token, answer.Code, want)
			}
		}
		expect("before", http.MethodGet, "prometheus", http.StatusOK)
		expect("before", http.MethodGet, "somebody", http.StatusForbidden)
		down = true
		time.Sleep(lasting - time.Second)
		expect("in the outage", http.MethodGet, "prometheus", http.StatusOK)
		expect("in the outage", http.MethodPost, "prometheus", http.StatusInternalServerError)
		expect("in the outage", http.MethodGet, "somebody", http.StatusInternalServerError)
		time.Sleep(time.Second)
		expect("after a long outage", http.MethodGet, "prometheus", http.StatusInternalServerError)
		down = false
		expect("after the outage", http.MethodGet, "prometheus", http.StatusOK)
		revoked = true
		time.Sleep(fresh)
		expect("without the right", http.MethodGet, "prometheus", http.StatusUnauthorized)
		revoked, down = false, true
		expect("in the next outage", http.MethodGet, "prometheus", http.StatusInternalServerError)
	})
}

// TestAnswersAreTakenForGrantedForAMoment counts what the API server is asked.
func TestAnswersAreTakenForGrantedForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := knowing()
		handler, err := New(api)(logr.Discard(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
		if err != nil {
			t.Fatal(err)
		}
		asks := func(path string, want int) {
			t.Helper()
			api.ClearActions()
			q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
			q.Header.Set("Authorization", "Bearer prometheus")
			handler.ServeHTTP(httptest.NewRecorder(), q)
			if got := len(api.Actions()); got != want {
				t.Errorf("%s asks %d times, want %d", path, got, want)
			}
		}
		asks("/metrics", 2)
		asks("/metrics", 0)
		time.Sleep(fresh - time.Second)
		asks("/metrics", 0)
		time.Sleep(time.Second)
		asks("/metrics", 2)
		asks("/delta/", 1) // it is refused, and all is forgotten
		asks("/metrics", 0)
		asks("/delta/", 2)
	})
}
