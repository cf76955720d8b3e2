package schemas_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/internal/schema/schemas"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
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

// apiServer is a real server, and its documents as they are.
type apiServer struct {
	config    *rest.Config
	client    *http.Client
	documents map[schema.GroupVersion]string
}

// realServer returns the shared server, with the documents that it has now.
func realServer(t testing.TB) *apiServer {
	t.Helper()
	config := shared.ForTest(t).Config()
	s := &apiServer{config: config, client: controlplane.HTTPClientForTest(t, config), documents: map[schema.GroupVersion]string{}}
	var index struct{ Paths map[string]struct{} }
	must(t, json.Unmarshal([]byte(s.get(t, "/openapi/v3")), &index))
	for at := range index.Paths {
		version, ok := strings.CutPrefix(at, "apis/")
		if !ok {
			version, ok = strings.CutPrefix(at, "api/")
		}
		of, err := schema.ParseGroupVersion(version)
		if ok && err == nil && (of.Group != "" || version == "v1") && of.Version != "" {
			s.documents[of] = s.get(t, "/openapi/v3/"+at)
		}
	}
	return s
}

func (s *apiServer) get(t testing.TB, at string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.config.Host+at, http.NoBody)
	must(t, err)
	response, err := s.client.Do(request)
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("get %s: %s, %v", at, response.Status, err)
	}
	return string(text)
}

// kinds are all kinds that a document describes.
func (s *apiServer) kinds(t testing.TB, of schema.GroupVersion) []schema.GroupVersionKind {
	t.Helper()
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Kinds []schema.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
			}
		}
	}
	must(t, json.Unmarshal([]byte(s.documents[of]), &document))
	all := map[schema.GroupVersionKind]bool{}
	for _, definition := range document.Components.Schemas {
		for _, kind := range definition.Kinds {
			all[kind] = kind.GroupVersion() == of
		}
	}
	maps.DeleteFunc(all, func(_ schema.GroupVersionKind, ours bool) bool { return !ours })
	return slices.SortedFunc(maps.Keys(all), func(a, b schema.GroupVersionKind) int { return strings.Compare(a.Kind, b.Kind) })
}

type converter interface {
	ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error)
	TypedToObject(value *typed.TypedValue) (runtime.Object, error)
}

// clientGo are the kinds that client-go knows.
var clientGo = func() *runtime.Scheme {
	kinds := runtime.NewScheme()
	if err := scheme.AddToScheme(kinds); err != nil {
		panic(fmt.Sprintf("BUG: %v", err))
	}
	return kinds
}()

var clientGoTypes = sync.OnceValue(func() converter { return applyconfigurations.NewTypeConverter(clientGo) })
