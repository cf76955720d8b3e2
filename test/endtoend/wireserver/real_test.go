//go:build slow

package wireserver

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// same compares two answers: what they say of themselves, and their bytes, with the bounds of chunks.
func same(t *testing.T, real, ours *answer) {
	t.Helper()
	sameKind(t, real, ours)
	_, _ = real.text(t), ours.text(t)
	equal(t, real.sent(), ours.sent())
}

// sameKind compares what answers say of themselves.
func sameKind(t *testing.T, real, ours *answer) {
	t.Helper()
	if real.StatusCode != ours.StatusCode || !slices.Equal(real.TransferEncoding, ours.TransferEncoding) {
		t.Errorf("status %d, %v; the real server has %d, %v", ours.StatusCode, ours.TransferEncoding, real.StatusCode, real.TransferEncoding)
	}
	for _, name := range []string{"Content-Type", "Content-Encoding", "Vary"} {
		equal(t, real.Header.Get(name), ours.Header.Get(name))
	}
}

func equal(t *testing.T, real, ours string) {
	t.Helper()
	if real != ours {
		at := 0
		for at < min(len(real), len(ours)) && real[at] == ours[at] {
			at++
		}
		t.Errorf("from byte %d, the real server's %d bytes have %.200q, and ours, which are %d, %.200q", at, len(real), real[at:], len(ours), ours[at:])
	}
}

func (d dialect) wholeList(t *testing.T, at address) {
	objects, version := d.all(t, at)
	if len(objects) != many {
		t.Fatalf("the real server has %d objects", len(objects))
	}
	here := serving(t, d.server(t, Collection{Objects: objects, Version: version, Compresses: true}))
	for _, query := range []string{"?resourceVersion=0", "?resourceVersion=0&limit=2"} { // the limit does not count
		same(t, d.ask(t, at, query), d.ask(t, here, query))
		same(t, d.ask(t, at.plain(), query), d.ask(t, here.plain(), query))
	}
}

// all is what the real server has, and its version.
func (d dialect) all(t *testing.T, at address) ([]Object, int64) {
	t.Helper()
	objects, version, _ := d.objects(t, d.ask(t, at, "?resourceVersion=0").successful(t).text(t))
	return objects, version
}

var token = regexp.MustCompile(`"continue":"[^"]+"`)

// pages compares two pages. The tokens of our server are short, and so messages that have one
// are compared as they are understood.
func (d dialect) pages(t *testing.T, at address) {
	all, _ := d.all(t, at)
	first := d.ask(t, at, "?limit=2").successful(t).text(t) // so short that it is not compressed
	_, version, next := d.objects(t, first)
	last := d.ask(t, at, "?continue="+next).successful(t)

	here := serving(t, d.server(t, Collection{Objects: all, Version: version, Compresses: true}))
	ourFirst := d.ask(t, here, "?limit=2").successful(t).text(t)
	_, _, ourNext := d.objects(t, ourFirst)
	if d.format == JSON {
		equal(t, token.ReplaceAllString(first, ""), token.ReplaceAllString(ourFirst, ""))
	} else {
		var theirs, ours corev1.PodList
		d.decode(t, first, &theirs)
		d.decode(t, ourFirst, &ours)
		theirs.Continue, ours.Continue = "", ""
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Error(diff)
		}
	}
	same(t, last, d.ask(t, here, "?continue="+ourNext))
}

// streamingList compares bytes and not chunks, because the real server sometimes writes more
// than one event at once when it has them all.
func (d dialect) streamingList(t *testing.T, at address) {
	all, _ := d.all(t, at)
	real := d.ask(t, at, streaming).successful(t)
	theirs := real.frames(t, d.format, len(all)+1)
	mark := d.event(t, theirs[len(all)])
	s := d.server(t, Collection{Objects: all, Version: number(t, mark.GetResourceVersion()), Streams: true, Compresses: true})
	ours := d.ask(t, serving(t, s), streaming).successful(t)
	sameKind(t, real, ours)
	for i, frame := range ours.frames(t, d.format, len(all)+1) {
		equal(t, theirs[i], frame)
	}
}

// watch compares an event.
func (d dialect) watch(t *testing.T, at address, api client.Client) {
	all, version := d.all(t, at)
	const query = "?watch=1&allowWatchBookmarks=true&timeoutSeconds=4&resourceVersion="
	real := d.ask(t, at, query+fmt.Sprint(version)).successful(t)
	changed := all[1].DeepCopyObject().(Object)
	changed.SetLabels(map[string]string{"changed-by": "format-" + fmt.Sprint(d.format)})
	must(t, api.Update(t.Context(), changed.(client.Object)))
	changed.GetObjectKind().SetGroupVersionKind(d.kind)

	s := d.server(t, Collection{
		Objects: all, Version: number(t, changed.GetResourceVersion()) - 1,
		Changes: func(yield func(int, Object) bool) { yield(1, changed) },
	})
	ours := d.ask(t, serving(t, s), query+s.versionAt(0)).successful(t)
	sameKind(t, real, ours)
	must(t, s.Release(1))
	equal(t, real.frames(t, d.format, 1)[0], ours.frames(t, d.format, 1)[0])
	theirSent, ourSent := real.sent(), ours.sent() // a frame of protobuf is two writes, and the end of the last chunk may not have come
	most := min(len(theirSent), len(ourSent))
	equal(t, theirSent[:most], ourSent[:most])
}

var tooOld = regexp.MustCompile(`too old resource version: (\d+) \((\d+)\)`)

// expired compares the only event of a watch that begins too early.
func (d dialect) expired(t *testing.T, at address) {
	const query = "?watch=1&resourceVersion="
	await.Until(t, "the server to serve "+d.resource, func() bool { return d.ask(t, at, "").StatusCode == http.StatusOK })
	all, _ := d.all(t, at)
	real := d.ask(t, at, query+all[0].GetResourceVersion())
	theirs := real.text(t)
	said := tooOld.FindStringSubmatch(theirs)
	if said == nil {
		t.Fatalf("the real server says %q", theirs)
	}
	s := d.server(t, Collection{
		Objects: all, Version: number(t, said[2]) - 1,
		Changes: func(yield func(int, Object) bool) {
			all[0].SetResourceVersion(said[2])
			yield(0, all[0])
		},
	})
	must(t, s.Expire(1))
	ours := d.ask(t, serving(t, s), query+said[1])
	sameKind(t, real, ours)
	equal(t, theirs, ours.text(t))
}
