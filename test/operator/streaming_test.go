package operator

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// TestTheFirstListIsStreamed is the normal case for the test below.
func TestTheFirstListIsStreamed(t *testing.T) {
	streamed, listed := follow(t, administrator(t))
	if streamed == 0 || listed > 0 {
		t.Errorf("%d lists were streamed and %d not, want all", streamed, listed)
	}
}

// TestAServerWithoutStreams switches them off in the server. The client learns that when the
// server refuses.
func TestAServerWithoutStreams(t *testing.T) {
	plane := controlplane.ForTest(t, controlplane.Options{APIServerFlags: []string{"--feature-gates=WatchList=false"}})
	config := plane.Config()
	define(t, directly(t, config), widgets)
	if _, listed := follow(t, config); listed == 0 {
		t.Error("all lists were streamed")
	}
}

// follow runs an operator that follows two kinds in all their forms, and checks that it sees
// them. It returns how many lists were streamed, and how many were not.
func follow(t *testing.T, config *rest.Config) (streamed, listed int) {
	t.Helper()
	api := directly(t, config)
	namespace := newNamespace(t, api)
	connection, line := newLine(t, config)
	options := managerOptions()
	options.Cache.DefaultNamespaces = map[string]crcache.Config{namespace: {}}
	m := newManager(t, connection, options)
	var reconcilers []*reconciler
	for _, k := range []kind{configMaps, widgets} {
		for i := range 20 {
			create(t, api, k, client.ObjectKey{Namespace: namespace, Name: fmt.Sprint("object-", i)})
		}
		r := newReconciler(k, m.GetClient())
		control(t, m, r)
		reconcilers = append(reconcilers, r)
	}
	started(t, m)
	for _, r := range reconcilers {
		awaitAgreement(t, r, api, namespace)
		change(t, api, r.kind.with(client.ObjectKey{Namespace: namespace, Name: "object-1"}, "2"))
		remove(t, api, r.kind, client.ObjectKey{Namespace: namespace, Name: "object-2"})
		create(t, api, r.kind, client.ObjectKey{Namespace: namespace, Name: "new"})
		awaitAgreement(t, r, api, namespace)
		for _, f := range []form{unstructuredForm, metadataForm} {
			if got, want := worldOf(t, m.GetCache(), listOf(r.kind, f)), r.saw(namespace); !got.equal(want) {
				t.Errorf("the cache has %v of %s (%s), want %v", got, r.kind.Kind, f, want)
			}
		}
		r.judge(t)
	}
	inNamespace := in(namespace)
	streamed = len(line.asked(func(r request) bool { return inNamespace(r) && r.streaming }))
	listed = len(line.asked(func(r request) bool { return inNamespace(r) && !r.watch }))
	return streamed, listed
}

func in(namespace string) func(request) bool {
	return func(r request) bool { return strings.Contains(r.path, "/namespaces/"+namespace+"/") }
}
