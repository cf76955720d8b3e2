package sampleoperator

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/controlplane"
)

// What config/default calls things.
const (
	namespace  = "sample-operator-system"
	prefix     = "sample-operator-"
	accountOf  = prefix + "controller-manager"
	leaseOf    = "sample-operator.web.example.com"
	certSecret = prefix + "webhook-cert"
)

// cluster is a control plane on which config/default is installed, all but the
// operator's own Deployment: its processes run here.
type cluster struct {
	plane  *controlplane.Plane
	audit  *audit
	api    client.Client
	config *rest.Config // the operator's

	env       []string // the operator's
	manifests []*unstructured.Unstructured
	webhooks  []string // the addresses at which replicas serve them
	outages   []outage
}

// outage is while the API server was down or getting ready. It refuses everything for
// as long as it does not know the roles yet.
type outage struct{ from, to time.Time }

// inOutage reports whether a call was answered while the API server was not ready.
func (c *cluster) inOutage(when time.Time) bool {
	return slices.ContainsFunc(c.outages, func(o outage) bool { return when.After(o.from) && when.Before(o.to) })
}

// newCluster starts one that is ready for so many replicas.
func newCluster(t *testing.T, replicas int, opts controlplane.Options) *cluster {
	t.Helper()
	c := &cluster{audit: newAudit(t)}
	opts.APIServerFlags = c.audit.flags()
	c.plane = controlplane.ForTest(t, opts)
	c.api = newClient(t, c.plane.Config())
	for range replicas {
		c.webhooks = append(c.webhooks, freeAddress(t))
	}
	front := newBalancer(t, c.webhooks...)
	for _, obj := range manifests(t, "config/default") {
		if obj.GetKind() != "Deployment" {
			c.manifests = append(c.manifests, served(t, obj, front.address()))
		}
	}
	for _, obj := range c.manifests {
		apply(t, c.api, obj.DeepCopy())
	}
	var err error
	if c.config, err = c.plane.ServiceAccountConfig(t.Context(), namespace, accountOf); err != nil {
		t.Fatal(err)
	}
	return c
}

func newClient(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	utilruntime.Must(clientscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	connections, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(connections.CloseIdleConnections)
	api, err := client.New(config, client.Options{HTTPClient: connections, Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// replica starts the operator's n-th process, with more flags if there are any.
func (c *cluster) replica(t *testing.T, n int, flags ...string) *replica {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := controlplane.WriteKubeconfig(kubeconfig, c.config); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(c.webhooks[n])
	if err != nil {
		t.Fatal(err)
	}
	return newReplica(t, fmt.Sprint("replica-", n), c.env, append([]string{
		"--kubeconfig=" + kubeconfig, "--namespace=" + namespace, "--leader-elect",
		"--webhook-port=" + port, "--webhook-names=127.0.0.1", "--health-probe-bind-address=0",
	}, flags...)...)
}

// manifests returns what kustomize makes of a folder.
func manifests(t *testing.T, folder string) (objects []*unstructured.Unstructured) {
	t.Helper()
	build := exec.CommandContext(t.Context(), filepath.Join(root, "bin", "kustomize"), "build", folder) //nolint:gosec // our own
	build.Dir = root
	var complaints bytes.Buffer
	build.Stderr = &complaints
	path, err := filepath.Abs(build.Path)
	if err != nil {
		t.Fatal(err)
	}
	build.Path = path
	out, err := build.Output()
	if err != nil {
		t.Fatalf("kustomize build %s: %v\n%s", folder, err, complaints.Bytes())
	}
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(out), 4096)
	for {
		obj := &unstructured.Unstructured{}
		switch err := documents.Decode(obj); {
		case errors.Is(err, io.EOF):
			return objects
		case err != nil:
			t.Fatalf("read what kustomize made of %s: %v", folder, err)
		}
		objects = append(objects, obj)
	}
}

// served is the object, with its webhooks at an address in place of a Service's.
func served(t *testing.T, obj *unstructured.Unstructured, address string) *unstructured.Unstructured {
	t.Helper()
	if !strings.HasSuffix(obj.GetKind(), "WebhookConfiguration") {
		return obj
	}
	webhooks, _, err := unstructured.NestedSlice(obj.Object, "webhooks")
	if err != nil {
		t.Fatal(err)
	}
	for _, webhook := range webhooks {
		where := webhook.(map[string]any)["clientConfig"].(map[string]any)
		where["url"] = "https://" + address + where["service"].(map[string]any)["path"].(string)
		delete(where, "service")
	}
	obj.Object["webhooks"] = webhooks
	return obj
}

// apply applies an object as kubectl does when asked to be strict.
func apply(t *testing.T, api client.Client, obj *unstructured.Unstructured) {
	t.Helper()
	what := obj.GetKind() + " " + obj.GetName()
	err := api.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(obj), client.FieldOwner("installer"), client.ForceOwnership)
	if err != nil {
		t.Fatalf("apply %s: %v", what, err)
	}
}

// awaitWebhooks waits until the API server can ask the operator about Sites.
func awaitWebhooks(t *testing.T, api client.Client) {
	t.Helper()
	probe := &v1alpha1.Site{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "probe"}}
	waitUntil(t, "the webhooks", func() error {
		return api.Create(t.Context(), probe.DeepCopy(), client.DryRunAll)
	})
}

// restartAPIServer ends the API server and has it back.
func (c *cluster) restartAPIServer(t *testing.T) {
	t.Helper()
	away := outage{from: time.Now()}
	defer func() { away.to = time.Now(); c.outages = append(c.outages, away) }()
	c.plane.KillAPIServer()
	if err := c.plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// freeAddress is one at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
