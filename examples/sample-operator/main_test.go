package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

const (
	root      = "../.."
	namespace = "sample-operator-system"
)

func TestMain(m *testing.M) {
	logger := logr.Discard()
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	goleak.VerifyTestMain(m)
}

// built returns the objects of config/default, or of another folder of config.
func built(t *testing.T, folder string) []*unstructured.Unstructured {
	t.Helper()
	objects, err := manifests.Build(t.Context(), root, filepath.Join("config", folder))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// deploy applies objects as kubectl apply --server-side does, and returns their versions.
func deploy(t *testing.T, api client.Client, objects []*unstructured.Unstructured) map[string]string {
	t.Helper()
	versions := map[string]string{}
	for _, object := range objects {
		applied := object.DeepCopy()
		err := api.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(applied), client.FieldOwner("kubectl"))
		if err != nil {
			t.Fatalf("apply %s %s: %v", object.GetKind(), object.GetName(), err)
		}
		versions[object.GetKind()+" "+object.GetName()] = applied.GetResourceVersion()
	}
	return versions
}

// settle waits until the server has added its own fields to a CRD.
func settle(t *testing.T, api client.Client) {
	t.Helper()
	await.Until(t, "the kind Site to be served", func() bool {
		return api.List(t.Context(), &webv1alpha1.SiteList{}) == nil
	})
}

// directly returns a client that refuses unknown fields, and reads from the server.
func directly(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	api, err := client.New(config, client.Options{HTTPClient: controlplane.HTTPClientForTest(t, config), Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return client.WithFieldValidation(api, "Strict")
}

// operator is a running operator.
type operator struct {
	webhooks, probes string // addresses
	bundle           []byte // what callers of the webhooks have to trust
	stop             func() error
}

// start runs the operator as its ServiceAccount until the test ends.
func start(t *testing.T, plane *controlplane.Plane, args ...string) *operator {
	t.Helper()
	account, err := plane.ServiceAccountConfig(t.Context(), namespace, "sample-operator-controller-manager")
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := controlplane.WriteKubeconfig(kubeconfig, account); err != nil {
		t.Fatal(err)
	}
	certs := t.TempDir()
	bundle, err := manifests.Certify(certs)
	if err != nil {
		t.Fatal(err)
	}
	o := &operator{webhooks: controlplane.FreeAddressForTest(t), probes: controlplane.FreeAddressForTest(t), bundle: bundle}
	args = append([]string{
		"--kubeconfig=" + kubeconfig, "--namespace=" + namespace,
		fmt.Sprint("--webhook-port=", netip.MustParseAddrPort(o.webhooks).Port()), "--webhook-cert-path=" + certs,
		"--health-probe-bind-address=" + o.probes,
	}, args...)
	f, err := parse(flag.NewFlagSet("test", flag.ContinueOnError), args, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	var ended error
	running.Go(func() { ended = run(ctx, f) })
	o.stop = sync.OnceValue(func() error {
		cancel()
		running.Wait()
		return ended
	})
	t.Cleanup(func() {
		if err := o.stop(); err != nil {
			t.Errorf("the operator ended with: %v", err)
		}
	})
	return o
}

// isReady asks for readiness as the kubelet does.
func (o *operator) isReady(t *testing.T) bool {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+o.probes+"/readyz", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return false
	}
	defer http.DefaultClient.CloseIdleConnections()
	return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
}

func contains(err error, part string) bool { return err != nil && strings.Contains(err.Error(), part) }
