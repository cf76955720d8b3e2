package schemas_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/schema/schemas"
)

// server is an API server that has nothing but one description.
type server struct {
	mu    sync.Mutex
	asked []string
	fail  error
	code  int // instead of 200
	hang  bool
	text  string
}

func newServer(t *testing.T) *server {
	t.Helper()
	text, err := os.ReadFile("testdata/openapi.json")
	must(t, err)
	return &server{text: string(text)}
}

func (s *server) answer(r *http.Request) (text string, hang bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL.Path)
	if r.URL.Path != "/openapi/v3/apis/example.com/v1" || r.Header.Get("Accept") != "application/json" {
		return "", false, errors.New("not found")
	}
	return s.text, s.hang, s.fail
}

// RoundTrip answers without a network, so that time can be the bubble's.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	text, hang, err := s.answer(r)
	if hang {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	code := cmp.Or(s.code, http.StatusOK)
	return &http.Response{
		StatusCode: code, Status: fmt.Sprint(code, " ", http.StatusText(code)),
		Body: io.NopCloser(strings.NewReader(text)), Request: r,
	}, nil
}

func (s *server) set(change func(s *server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *server) wasAsked(t *testing.T, times int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) != times {
		t.Errorf("the server was asked for %q, want %d requests", s.asked, times)
	}
}

// schemes are those of an operator of gardens.
func gardenScheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	known := runtime.NewScheme()
	known.AddKnownTypeWithName(gardens.WithKind("Garden"), &Garden{})
	must(t, scheme.AddToScheme(known))
	return known
}

func schemasOf(t testing.TB, config *rest.Config, client *http.Client) *schemas.Kinds {
	t.Helper()
	s, err := schemas.New(config, client, gardenScheme(t))
	must(t, err)
	return s
}

func withoutNetwork(t *testing.T, s *server) *schemas.Kinds {
	t.Helper()
	return schemasOf(t, &rest.Config{Host: "http://server"}, &http.Client{Transport: s})
}
