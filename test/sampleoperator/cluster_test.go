package sampleoperator

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
	"github.com/delta-runtime/delta-runtime/internal/testing/relay"
)

// These are names in config/default.
const (
	namespace = "sample-operator-system"
	prefix    = "sample-operator-"
	accountOf = prefix + "controller-manager"
	leaseOf   = "sample-operator.web.example.com"
)

// cluster is a control plane with everything from config/default, except the operator's own
// Deployment: its processes run on this machine.
type cluster struct {
	plane  *controlplane.Plane
	audit  *audit
	api    client.Client
	config *rest.Config // the operator's

	env       []string // the operator's
	manifests []*unstructured.Unstructured
	webhooks  []string // the addresses of the replicas' webhooks
	certs     string   // the folder with their certificate
	outages   []outage
}

// outage is a time in which the API server was down or not ready. It refuses all requests
// until it knows the roles.
type outage struct{ from, to time.Time }

// inOutage reports whether a call was answered while the API server was not ready.
func (c *cluster) inOutage(when time.Time) bool {
	return slices.ContainsFunc(c.outages, func(o outage) bool { return when.After(o.from) && when.Before(o.to) })
}

// newCluster starts a cluster that is ready for a number of replicas.
func newCluster(t *testing.T, replicas int, opts controlplane.Options) *cluster {
	t.Helper()
	c := &cluster{audit: newAudit(t), certs: t.TempDir()}
	opts.APIServerFlags = c.audit.flags()
	c.plane = controlplane.ForTest(t, opts)
	c.api = newClient(t, c.plane.Config())
	for range replicas {
		c.webhooks = append(c.webhooks, controlplane.FreeAddressForTest(t))
	}
	front := relay.New(t, c.webhooks...)
	bundle, err := manifests.Certify(c.certs)
	must(t, err)
	all, err := manifests.Build(t.Context(), root, "config/default")
	must(t, err)
	for _, obj := range all {
		if obj.GetKind() == "Deployment" {
			continue
		}
		must(t, manifests.CallAt(obj, front.Address(), bundle))
		c.manifests = append(c.manifests, obj)
		apply(t, c.api, obj.DeepCopy())
	}
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
	api, err := client.New(config, client.Options{HTTPClient: controlplane.HTTPClientForTest(t, config), Scheme: scheme})
	must(t, err)
	return api
}

// replica starts the operator's n-th process, with additional flags.
func (c *cluster) replica(t *testing.T, n int, flags ...string) *replica {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, controlplane.WriteKubeconfig(kubeconfig, c.config))
	return newReplica(t, fmt.Sprint("replica-", n), c.env, append([]string{
		"--kubeconfig=" + kubeconfig, "--namespace=" + namespace, "--leader-elect",
		fmt.Sprint("--webhook-port=", netip.MustParseAddrPort(c.webhooks[n]).Port()), "--webhook-cert-path=" + c.certs, "--health-probe-bind-address=0",
	}, flags...)...)
}

// apply applies an object as kubectl does with strict validation.
func apply(t *testing.T, api client.Client, obj *unstructured.Unstructured) {
	t.Helper()
	what := obj.GetKind() + " " + obj.GetName()
	err := api.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(obj), client.FieldOwner("installer"), client.ForceOwnership)
	if err != nil {
		t.Fatalf("apply %s: %v", what, err)
	}
}

// awaitWebhooks waits until the API server can call the operator's webhooks.
func awaitWebhooks(t *testing.T, api client.Client) {
	t.Helper()
	probe := &v1alpha1.Site{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "probe"}}
	await.Within(t, patience, "the webhooks", func() error {
		return api.Create(t.Context(), probe.DeepCopy(), client.DryRunAll)
	})
}

// restartAPIServer kills the API server and starts it again.
func (c *cluster) restartAPIServer(t *testing.T) {
	t.Helper()
	away := outage{from: time.Now()}
	defer func() { away.to = time.Now(); c.outages = append(c.outages, away) }()
	c.plane.KillAPIServer()
	must(t, c.plane.StartAPIServer(t.Context()))
}
