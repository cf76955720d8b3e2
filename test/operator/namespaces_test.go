package operator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// tenancy is an operator that is limited to some namespaces. The namespaces change.
type tenancy struct {
	api   client.Client
	cache *cache.Cache
	line  *line
	// There are two reconcilers, for a built-in kind and for a custom one.
	reconcilers []*reconciler
}

// newTenancy starts an operator for some namespaces, and waits until it has started.
func newTenancy(t *testing.T, namespaces ...string) *tenancy {
	t.Helper()
	config := administrator(t)
	tenants := &tenancy{api: directly(t, config)}
	options := managerOptions()
	options.Cache.DefaultNamespaces = map[string]crcache.Config{}
	for _, namespace := range namespaces {
		options.Cache.DefaultNamespaces[namespace] = crcache.Config{}
	}
	connection, line := newLine(t, config)
	m, c := newManagerOfOurs(t, connection, options, cache.Options{Default: cache.KindOptions{Reflector: soon}})
	tenants.cache, tenants.line = c, line
	for _, k := range []kind{configMaps, widgets} {
		r := newReconciler(k, m.GetClient())
		control(t, m, r)
		tenants.reconcilers = append(tenants.reconcilers, r)
	}
	started(t, m)
	return tenants
}

// awaitAgreement waits until the reconcilers have seen all objects of a namespace.
func (s *tenancy) awaitAgreement(t *testing.T, namespace string) {
	t.Helper()
	for _, r := range s.reconcilers {
		awaitAgreement(t, r, s.api, namespace)
	}
}

// reads checks that the cache has the objects of these namespaces, and no others.
func (s *tenancy) reads(t *testing.T, namespaces ...string) {
	t.Helper()
	for _, r := range s.reconcilers {
		for _, f := range []form{typedForm, metadataForm} {
			want := world{}
			for _, namespace := range namespaces {
				there := worldOf(t, s.api, r.kind.list(), client.InNamespace(namespace))
				maps.Copy(want, there)
				if got := worldOf(t, s.cache, listOf(r.kind, f), client.InNamespace(namespace)); !got.equal(there) {
					t.Errorf("the cache has %v in %s, want %v", got, namespace, there)
				}
			}
			if got := worldOf(t, s.cache, listOf(r.kind, f)); !got.equal(want) {
				t.Errorf("the cache has %v, want %v", got, want)
			}
		}
	}
}

// refuses checks that reads in a namespace are refused. That is not the same as an empty
// result.
func (s *tenancy) refuses(t *testing.T, namespace string) {
	t.Helper()
	for _, r := range s.reconcilers {
		get := s.cache.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "a"}, r.kind.object())
		list := s.cache.List(t.Context(), r.kind.list(), client.InNamespace(namespace))
		for _, err := range []error{get, list} {
			if !errors.Is(err, informer.ErrNotCovered) || apierrors.IsNotFound(err) {
				t.Errorf("reading %s in %s returns %v, want an error that the cache does not cover it", r.kind.Kind, namespace, err)
			}
		}
	}
}

func (s *tenancy) furnish(t *testing.T) (namespace string) {
	t.Helper()
	namespace = newNamespace(t, s.api)
	for _, r := range s.reconcilers {
		for _, name := range []string{"a", "b", "c"} {
			create(t, s.api, r.kind, client.ObjectKey{Namespace: namespace, Name: name})
		}
	}
	return namespace
}

// TestNamespacesComeAndGo adds and removes namespaces of a running operator.
func TestNamespacesComeAndGo(t *testing.T) {
	api := directly(t, administrator(t))
	red, blue := newNamespace(t, api), newNamespace(t, api)
	s := newTenancy(t, red, blue)
	green := s.furnish(t)
	key := client.ObjectKey{Namespace: blue, Name: "a"}
	create(t, s.api, configMaps, key)
	s.awaitAgreement(t, blue)
	s.reads(t, red, blue)
	s.refuses(t, green)

	if err := s.cache.AddNamespace(t.Context(), green, crcache.Config{}); err != nil {
		t.Fatal(err)
	}
	s.reads(t, red, blue, green) // at once
	s.awaitAgreement(t, green)
	change(t, s.api, widgets.with(client.ObjectKey{Namespace: green, Name: "a"}, "2"))
	remove(t, s.api, configMaps, client.ObjectKey{Namespace: green, Name: "b"})
	s.awaitAgreement(t, green)

	known := s.reconcilers[0].saw(blue)
	if err := s.cache.RemoveNamespace(t.Context(), blue, informer.Silently); err != nil {
		t.Fatal(err)
	}
	s.refuses(t, blue)
	s.reads(t, red, green)
	asked := len(s.line.asked(in(blue)))
	change(t, s.api, configMaps.with(key, "2"))
	s.line.cut() // a client that still watched the namespace would ask again
	change(t, s.api, configMaps.with(client.ObjectKey{Namespace: green, Name: "a"}, "3"))
	s.awaitAgreement(t, green)
	if again := s.line.asked(in(blue))[asked:]; len(again) > 0 {
		t.Errorf("the server is asked for a namespace that was removed: %v", again)
	}
	if now := s.reconcilers[0].saw(blue); !now.equal(known) {
		t.Errorf("after a namespace was removed, the reconciler went from %v to %v", known, now)
	}

	if err := s.cache.AddNamespace(t.Context(), blue, crcache.Config{}); err != nil {
		t.Fatal(err)
	}
	s.reads(t, red, blue, green)
	s.awaitAgreement(t, blue)
	for _, r := range s.reconcilers {
		r.judge(t)
	}
}

func in(namespace string) func(request) bool {
	return func(r request) bool { return strings.Contains(r.path, "/namespaces/"+namespace+"/") }
}

// TestNamespacesComeAndGoUnderLoad adds and removes one namespace while the objects of all
// namespaces change.
func TestNamespacesComeAndGoUnderLoad(t *testing.T) {
	api := directly(t, administrator(t))
	stays, comes := newNamespace(t, api), newNamespace(t, api)
	s := newTenancy(t, stays)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var writing sync.WaitGroup
	for _, namespace := range []string{stays, comes} {
		writing.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if err := churn(t.Context(), api, namespace, i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 20 {
		if err := s.cache.AddNamespace(t.Context(), comes, crcache.Config{}); err != nil {
			t.Fatal(err)
		}
		if err := s.cache.List(t.Context(), &corev1.ConfigMapList{}, client.InNamespace(comes)); err != nil {
			t.Fatalf("the namespace has been added, but: %v", err)
		}
		if err := s.cache.RemoveNamespace(t.Context(), comes, informer.AsOutOfScope); err != nil {
			t.Fatal(err)
		}
		s.refuses(t, comes)
	}
	if err := s.cache.AddNamespace(t.Context(), comes, crcache.Config{}); err != nil {
		t.Fatal(err)
	}
	stop()
	writing.Wait()
	for _, namespace := range []string{stays, comes} {
		create(t, api, configMaps, client.ObjectKey{Namespace: namespace, Name: "the-last"})
		await.Until(t, "the cache to know all of a namespace", func() bool {
			return worldOf(t, s.cache, &corev1.ConfigMapList{}, client.InNamespace(namespace)).
				equal(worldOf(t, api, &corev1.ConfigMapList{}, client.InNamespace(namespace)))
		})
	}
	s.awaitAgreement(t, stays)
}

// churn makes the i-th change in a series of changes to ten objects.
func churn(ctx context.Context, api client.Client, namespace string, i int) error {
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprint("churn-", i%10)}}
	if i/10%2 == 0 {
		o.Data = map[string]string{"at": time.Now().String()}
		return api.Create(ctx, o)
	}
	return api.Delete(ctx, o)
}
