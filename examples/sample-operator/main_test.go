package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/examples/sample-operator/internal/certs"
	"github.com/delta-runtime/delta-runtime/internal/controlplane"
)

const (
	root      = "../.."
	namespace = "sample-operator-system"
	patience  = 2 * time.Minute
)

func TestMain(m *testing.M) {
	logger := logr.Discard()
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	goleak.VerifyTestMain(m,
		// What client-go's broadcaster of the other Events API does, which a manager makes
		// besides, and does not end if it is given one of this API. Here it has nothing to do.
		goleak.IgnoreAnyFunction("k8s.io/client-go/tools/events.(*eventBroadcasterImpl).startRecordingEvents.func2"),
		goleak.IgnoreAnyFunction("k8s.io/client-go/tools/events.(*eventBroadcasterImpl).startEventWatcher.func1"),
		goleak.IgnoreTopFunction("k8s.io/apimachinery/pkg/util/wait.BackoffUntilWithContext"),
		goleak.IgnoreTopFunction("k8s.io/apimachinery/pkg/watch.(*Broadcaster).loop"),
	)
}

// manifests are the objects of config/default, or of another folder of config.
func manifests(t *testing.T, folder string) []*unstructured.Unstructured {
	t.Helper()
	build := exec.CommandContext(t.Context(), filepath.Join(root, "bin", "kustomize"), "build", filepath.Join(root, "config", folder))
	var said bytes.Buffer
	build.Stderr = &said
	text, err := build.Output()
	if err != nil {
		t.Fatalf("bin/kustomize, which `make bin/kustomize` builds: %v\n%s", err, &said)
	}
	var objects []*unstructured.Unstructured
	for reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(document, &object.Object); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
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

// settle waits until the server has added what it adds to a CRD.
func settle(t *testing.T, api client.Client) {
	t.Helper()
	waitUntil(t, "the kind Site to be served", func() bool {
		return api.List(t.Context(), &webv1alpha1.SiteList{}) == nil
	})
}

// directly returns a client that takes no unknown fields.
func directly(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	connections, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { utilnet.CloseIdleConnectionsFor(connections.Transport) })
	scheme, err := newScheme()
	if err != nil {
		t.Fatal(err)
	}
	api, err := client.New(config, client.Options{HTTPClient: connections, Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return client.WithFieldValidation(api, "Strict")
}

// callHere has the API server call the webhooks on this machine, where no Service leads.
func callHere(t *testing.T, api client.Client, port int) {
	t.Helper()
	var mutating admissionv1.MutatingWebhookConfiguration
	var validating admissionv1.ValidatingWebhookConfiguration
	call := func(c *admissionv1.WebhookClientConfig) {
		c.URL = new("https://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) + *c.Service.Path)
		c.Service = nil
	}
	for name, object := range map[string]client.Object{certs.MutatingConfiguration: &mutating, certs.ValidatingConfiguration: &validating} {
		if err := api.Get(t.Context(), client.ObjectKey{Name: name}, object); err != nil {
			t.Fatal(err)
		}
		if object == &mutating {
			call(&mutating.Webhooks[0].ClientConfig)
		} else {
			call(&validating.Webhooks[0].ClientConfig)
		}
		if err := api.Update(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
}

// kubeconfig writes down how to reach a server.
func kubeconfig(t *testing.T, config *rest.Config) string {
	t.Helper()
	c := clientcmdapi.NewConfig()
	c.Clusters["c"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	c.AuthInfos["u"] = &clientcmdapi.AuthInfo{ClientCertificateData: config.CertData, ClientKeyData: config.KeyData}
	c.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	c.CurrentContext = "x"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*c, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// operator is one that runs.
type operator struct {
	webhooks, probes int // ports
	stop             func() error
}

// start runs the operator as its ServiceAccount until the test ends.
func start(t *testing.T, plane *controlplane.Plane, args ...string) *operator {
	t.Helper()
	account, err := plane.ConfigFor("system:serviceaccount:"+namespace+":sample-operator-controller-manager",
		"system:serviceaccounts", "system:serviceaccounts:"+namespace, "system:authenticated")
	if err != nil {
		t.Fatal(err)
	}
	o := &operator{webhooks: freePort(t), probes: freePort(t)}
	args = append([]string{
		"--kubeconfig=" + kubeconfig(t, account), "--namespace=" + namespace,
		"--webhook-port=" + strconv.Itoa(o.webhooks), "--webhook-names=127.0.0.1,localhost",
		"--health-probe-bind-address=127.0.0.1:" + strconv.Itoa(o.probes),
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

// isReady asks as the kubelet does.
func (o *operator) isReady(t *testing.T) bool {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+net.JoinHostPort("127.0.0.1", strconv.Itoa(o.probes))+"/readyz", http.NoBody)
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

// freePort returns a port that nobody listened on a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// waitUntil looks again and again whether it is done.
func waitUntil(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.After(patience)
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for !done() {
		select {
		case <-deadline:
			t.Fatalf("waited %v for %s", patience, what)
		case <-again.C:
		}
	}
}

func contains(err error, part string) bool { return err != nil && strings.Contains(err.Error(), part) }
