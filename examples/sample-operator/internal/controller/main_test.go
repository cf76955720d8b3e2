package controller

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

func TestMain(m *testing.M) {
	logger := logr.Discard()
	if os.Getenv("OPERATOR_LOG") != "" {
		logger = funcr.New(func(prefix, args string) { fmt.Fprintln(os.Stderr, prefix, args) },
			funcr.Options{LogTimestamp: true, TimestampFormat: "15:04:05.000", Verbosity: 1})
	}
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	goleak.VerifyTestMain(shared.Around(m))
}

// shared is the control plane that all tests use.
var shared controlplane.Shared

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, webv1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}

// administrator returns the configuration of a user who may do everything on the shared
// control plane. The kind Site is defined there.
func administrator(t *testing.T) *rest.Config {
	t.Helper()
	config := shared.ForTest(t).Config()
	define(t, directly(t, config))
	return config
}

// define installs the CRD, and waits until it is served.
func define(t *testing.T, api client.Client) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "config", "crd", "bases", "web.example.com_sites.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(content, &crd.Object); err != nil {
		t.Fatal(err)
	}
	if err := api.Create(t.Context(), crd); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	await.Until(t, "the kind Site to be served", func() bool {
		return api.List(t.Context(), &webv1alpha1.SiteList{}) == nil
	})
}

// directly returns a client that reads from the server, and not from a cache.
func directly(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	connections := controlplane.HTTPClientForTest(t, config)
	api, err := client.New(config, client.Options{HTTPClient: connections, Scheme: newScheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// newNamespace makes a namespace that no other test has.
func newNamespace(t *testing.T, api client.Client) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := api.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	return namespace.Name
}
