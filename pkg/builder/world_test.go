package builder_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	fakeapi "k8s.io/client-go/tools/cache/testing"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/recorder"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	shared "github.com/delta-runtime/delta-runtime/internal/testing/informers"
	ourcache "github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// The kinds of the tests: ConfigMaps own Pods, and Secrets name ConfigMaps in a label.
var (
	configMap = corev1.SchemeGroupVersion.WithKind("ConfigMap")
	pod       = corev1.SchemeGroupVersion.WithKind("Pod")
	secret    = corev1.SchemeGroupVersion.WithKind("Secret")
)

const team = "team"

// forLabel is where a Secret has the names of ConfigMaps.
const forLabel = "for"

func named(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: team, Name: name}}
}

// newObject is an object of a kind. Its owner or its label says what it is for.
func newObject(kind schema.GroupVersionKind, name string, isFor ...string) client.Object {
	about := metav1.ObjectMeta{Namespace: team, Name: name}
	switch kind {
	case pod:
		if len(isFor) > 0 {
			about.OwnerReferences = []metav1.OwnerReference{{
				APIVersion: "v1", Kind: configMap.Kind, Name: isFor[0], Controller: new(true),
			}}
		}
		return &corev1.Pod{ObjectMeta: about}
	case secret:
		about.Labels = map[string]string{forLabel: strings.Join(isFor, ".")}
		return &corev1.Secret{ObjectMeta: about}
	default:
		return &corev1.ConfigMap{ObjectMeta: about}
	}
}

// secretsRequests maps a Secret.
func secretsRequests(_ context.Context, obj client.Object) []reconcile.Request {
	var all []reconcile.Request
	for name := range strings.SplitSeq(obj.GetLabels()[forLabel], ".") {
		if name != "" {
			all = append(all, named(name))
		}
	}
	return all
}

// fakeManager is a manager as far as a builder needs one. The test runs what is added to
// it.
type fakeManager struct {
	manager.Manager // none: who calls anything else is mistaken
	cache           cache.Cache
	client          client.Client
	runtime         *managed.Runtime // that client knows
	options         config.Controller
	logger          logr.Logger
	added           []manager.Runnable
	events          *events.FakeRecorder
}

func newFakeManager(from cache.Cache) *fakeManager {
	of := managed.New()
	return &fakeManager{
		cache: from, client: knowing{of: of}, runtime: of,
		options: config.Controller{SkipNameValidation: new(true)}, logger: logr.Discard(),
	}
}

// knowing is a client that knows the Runtime of its manager, as ours does.
type knowing struct {
	client.Client // none: nobody asks for anything
	of            *managed.Runtime
}

func (k knowing) Runtime() managed.Handle { return k.of.Handle() }

func (m *fakeManager) Add(r manager.Runnable) error {
	m.added = append(m.added, r)
	return nil
}
func (m *fakeManager) GetEventRecorder(string) recorder.EventRecorder { return m.events }
func (m *fakeManager) GetCache() cache.Cache                          { return m.cache }
func (m *fakeManager) GetClient() client.Client                       { return m.client }
func (m *fakeManager) GetScheme() *runtime.Scheme                     { return scheme.Scheme }
func (m *fakeManager) GetConfig() *rest.Config                        { return nil }
func (m *fakeManager) GetHTTPClient() *http.Client                    { return nil }
func (m *fakeManager) GetLogger() logr.Logger                         { return m.logger }
func (m *fakeManager) GetControllerOptions() config.Controller        { return m.options }
func (m *fakeManager) GetRESTMapper() meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, kind := range []schema.GroupVersionKind{configMap, pod, secret} {
		mapper.Add(kind, meta.RESTScopeNamespace)
	}
	return mapper
}

// api is a fake API server for one kind, with which one lists before one watches.
type api struct{ *fakeapi.FakeControllerSource }

func (api) IsWatchListSemanticsUnSupported() bool { return true }

// world is an API with three kinds, our informers over it, and a manager over these.
type world struct {
	servers   map[schema.GroupVersionKind]api
	informers map[schema.GroupVersionKind]shared.Informer
	manager   *fakeManager
	tasks     *lifecycle.Group
}

// inWorld runs a test in a bubble.
func inWorld(t *testing.T, do func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{
			servers:   map[schema.GroupVersionKind]api{},
			informers: map[schema.GroupVersionKind]shared.Informer{},
			tasks:     lifecycle.New(t.Context()),
		}
		held := &informertest.FakeInformers{InformersByGVK: map[schema.GroupVersionKind]toolscache.SharedIndexInformer{}, Scheme: scheme.Scheme}
		for _, kind := range []schema.GroupVersionKind{configMap, pod, secret} {
			w.servers[kind] = api{fakeapi.NewFakeControllerSource()}
			made := ourcache.NewSharedIndexInformer(w.servers[kind], newObject(kind, ""), 0, toolscache.Indexers{})
			w.informers[kind] = made.(shared.Informer)
			held.InformersByGVK[kind] = made
			w.tasks.Guest("informer", made.RunWithContext)
		}
		all := newWithMetadata(held, w.servers[secret])
		w.tasks.Guest("informer for metadata", all.secrets.RunWithContext)
		w.manager = newFakeManager(all)
		synctest.Wait()
		do(t, w)
		w.stop(t)
		for _, server := range w.servers {
			server.Shutdown()
		}
	})
}

// newWorldOf is a world with nothing in it but a manager.
func newWorldOf(t *testing.T, m *fakeManager) *world {
	t.Helper()
	return &world{manager: m, tasks: lifecycle.New(t.Context())}
}

// stop ends everything.
func (w *world) stop(t *testing.T) {
	t.Helper()
	w.tasks.Stop()
	if err := w.tasks.Wait(); err != nil {
		t.Error(err)
	}
}

// askedFor is a cache that notes what kinds it is asked for, by one at a time.
type askedFor struct {
	cache.Cache
	mu    sync.Mutex // guards kinds, and what a fake makes when it is asked
	kinds []string
}

func (a *askedFor) GetInformer(ctx context.Context, obj client.Object, opts ...cache.InformerGetOption) (cache.Informer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kinds = append(a.kinds, fmt.Sprintf("%T %s", obj, obj.GetObjectKind().GroupVersionKind().Kind))
	return a.Cache.GetInformer(ctx, obj, opts...)
}

// start runs what was added to the manager.
func (w *world) start() {
	for _, r := range w.manager.added {
		w.tasks.Go("runnable", r.Start)
	}
	w.manager.added = nil
	synctest.Wait()
}

// awaitCalls lets time pass until something is so.
func (*world) awaitCalls(isSo func() bool) {
	for synctest.Wait(); !isSo(); synctest.Wait() {
		time.Sleep(time.Millisecond)
	}
}

// withMetadata is a cache of a world, which has Secrets in a second form: controller-runtime's fake finds no informer for metadata.
type withMetadata struct {
	*informertest.FakeInformers
	secrets toolscache.SharedIndexInformer
}

func newWithMetadata(held *informertest.FakeInformers, secrets api) *withMetadata {
	example := &metav1.PartialObjectMetadata{}
	example.SetGroupVersionKind(secret)
	return &withMetadata{held, ourcache.NewSharedIndexInformer(metadataAPI{secrets, secret}, example, 0, toolscache.Indexers{})}
}

func (c *withMetadata) GetInformer(ctx context.Context, obj client.Object, opts ...cache.InformerGetOption) (cache.Informer, error) {
	if _, ok := obj.(*metav1.PartialObjectMetadata); !ok {
		return c.FakeInformers.GetInformer(ctx, obj, opts...)
	}
	if kind := obj.GetObjectKind().GroupVersionKind(); kind != secret {
		return nil, fmt.Errorf("the world has no metadata of %s", kind)
	}
	return c.secrets, nil
}

// metadataAPI serves the metadata of the objects of a fake API server.
type metadataAPI struct {
	api
	kind schema.GroupVersionKind
}

func (m metadataAPI) metadataOf(obj runtime.Object) *metav1.PartialObjectMetadata {
	full, err := meta.Accessor(obj)
	if err != nil {
		panic(err) // this is what the world has put there
	}
	partial := meta.AsPartialObjectMetadata(full)
	partial.SetGroupVersionKind(m.kind)
	return partial
}

func (m metadataAPI) List(opts metav1.ListOptions) (runtime.Object, error) {
	full, err := m.api.List(opts)
	if err != nil {
		return nil, err
	}
	head, err := meta.ListAccessor(full)
	if err != nil {
		return nil, err
	}
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: head.GetResourceVersion()}}
	return list, meta.EachListItem(full, func(obj runtime.Object) error {
		list.Items = append(list.Items, *m.metadataOf(obj))
		return nil
	})
}

func (m metadataAPI) Watch(opts metav1.ListOptions) (apiwatch.Interface, error) {
	full, err := m.api.Watch(opts)
	if err != nil {
		return nil, err
	}
	return apiwatch.Filter(full, func(e apiwatch.Event) (apiwatch.Event, bool) {
		e.Object = m.metadataOf(e.Object)
		return e, true
	}), nil
}
