//go:build slow

package wireserver

import (
	"crypto/tls"
	"fmt"
	"net/url"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

// TestBytesAreThoseOfAnAPIServer has a real API server and a Server with the real one's objects
// answer the same requests.
func TestBytesAreThoseOfAnAPIServer(t *testing.T) {
	plane := controlplane.ForTest(t, controlplane.Options{})
	api := fill(t, plane)
	at := addressOf(t, plane.Config())
	for name, d := range dialects {
		t.Run(name, func(t *testing.T) {
			t.Run("whole list", func(t *testing.T) { d.wholeList(t, at) })
			t.Run("pages", func(t *testing.T) { d.pages(t, at) })
			t.Run("streaming list", func(t *testing.T) { d.streamingList(t, at) })
			t.Run("watch", func(t *testing.T) { d.watch(t, at, api) })
		})
	}
	plane.KillAPIServer() // and with it its memory of old versions
	must(t, plane.StartAPIServer(t.Context()))
	for name, d := range dialects {
		t.Run(name+", expired watch", func(t *testing.T) { d.expired(t, at) })
	}
}

// TestRefusedStreamsAreAsAnAPIServerRefusesThem asks servers that don't stream lists for one.
func TestRefusedStreamsAreAsAnAPIServerRefusesThem(t *testing.T) {
	plane := controlplane.ForTest(t, controlplane.Options{APIServerFlags: []string{"--feature-gates=WatchList=false"}})
	at := addressOf(t, plane.Config())
	for name, d := range dialects {
		if d.kind == workloads {
			continue // that would take a CRD to ask for the same
		}
		t.Run(name, func(t *testing.T) {
			real := d.ask(t, at, streaming)
			same(t, real, d.ask(t, serving(t, d.server(t, Collection{Objects: []Object{&corev1.Pod{}}})), streaming))
		})
	}
}

const streaming = "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"

// many objects are so many that an API server compresses a list of them.
const many = 30

// fill gives the control plane objects of each kind.
func fill(t *testing.T, plane *controlplane.Plane) client.Client {
	t.Helper()
	api, err := client.New(plane.Config(), client.Options{HTTPClient: controlplane.HTTPClientForTest(t, plane.Config())})
	must(t, err)
	create := func(obj client.Object) {
		t.Helper()
		must(t, api.Create(t.Context(), obj))
	}
	create(manifests.Definition(workloads, manifests.Anything()))
	await.Success(t, "the server to serve "+workloads.Kind, func() error {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(workloads)
		return api.List(t.Context(), list)
	})
	for i, like := range benchkit.Pods(many) {
		pod := &corev1.Pod{Spec: like.Spec}
		pod.Name, pod.Namespace, pod.Labels, pod.Annotations = fmt.Sprintf("web-%03d", i), "default", like.Labels, like.Annotations
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
		must(t, err)
		custom := &unstructured.Unstructured{Object: fields}
		custom.SetGroupVersionKind(workloads)
		create(custom)
		pod.Spec.Priority = nil // the server sets it
		create(pod)
	}
	return api
}

// addressOf is the address of a real API server.
func addressOf(t *testing.T, config *rest.Config) address {
	t.Helper()
	at, err := url.Parse(config.Host)
	must(t, err)
	secure, err := rest.TLSConfigFor(config)
	must(t, err)
	secure.NextProtos = []string{"http/1.1"}
	return address{at.Host, (&tls.Dialer{Config: secure}).DialContext, "gzip", config.BearerToken}
}

// plain is the address for a client that wants nothing compressed.
func (a address) plain() address {
	a.encoding = "identity"
	return a
}
