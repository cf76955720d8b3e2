package cache

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fakeAPI serves ConfigMaps, Namespaces and ClusterRoles by HTTP, as JSON, with
// just enough of the API's manners for a cache: lists, watches from a version,
// label selectors, and field selectors on namespace and name. It refuses streaming
// lists, and what deny says.
type fakeAPI struct {
	*httptest.Server
	changed sync.Cond // on mu

	mu      sync.Mutex // guards everything below
	version int
	now     map[string]client.Object // by resource, namespace and name
	log     []fakeEvent
	denied  map[string]int // resource to HTTP status
	asked   map[string]int // path and query of lists, how often
	closed  bool
}

type fakeEvent struct {
	resource string
	kind     watch.EventType
	obj      client.Object
	version  int
}

// newFakeAPI returns one that has these objects.
func newFakeAPI(t testing.TB, objs ...client.Object) *fakeAPI {
	f := startFakeAPI()
	t.Cleanup(f.end)
	for _, obj := range objs {
		f.put(obj)
	}
	return f
}

func startFakeAPI() *fakeAPI {
	f := &fakeAPI{now: map[string]client.Object{}, denied: map[string]int{}, asked: map[string]int{}}
	f.changed.L = &f.mu
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	return f
}

func (f *fakeAPI) end() {
	f.mu.Lock()
	f.closed = true
	f.changed.Broadcast()
	f.mu.Unlock()
	f.CloseClientConnections()
	f.Close()
}

func (f *fakeAPI) config() *rest.Config { return &rest.Config{Host: f.URL, QPS: -1} }

// mapper knows what the server has, whether it is denied or not.
func fakeMapper() *meta.DefaultRESTMapper {
	m := meta.NewDefaultRESTMapper(nil)
	m.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("Secret"), meta.RESTScopeNamespace)
	m.Add(corev1.SchemeGroupVersion.WithKind("Namespace"), meta.RESTScopeRoot)
	m.Add(rbacv1.SchemeGroupVersion.WithKind("ClusterRole"), meta.RESTScopeRoot)
	return m
}

func resourceOf(obj client.Object) string {
	switch obj.(type) {
	case *corev1.ConfigMap:
		return "configmaps"
	case *corev1.Secret:
		return "secrets"
	case *corev1.Namespace:
		return "namespaces"
	default:
		panic(fmt.Sprintf("the fake API has no %T", obj))
	}
}

// put creates or updates, and returns the version that it got.
func (f *fakeAPI) put(obj client.Object) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := resourceOf(obj) + "/" + obj.GetNamespace() + "/" + obj.GetName()
	kind := watch.Modified
	if f.now[name] == nil {
		kind = watch.Added
	}
	stored := f.recordLocked(kind, obj)
	f.now[name] = stored
	return stored.GetResourceVersion()
}

func (f *fakeAPI) recordLocked(kind watch.EventType, obj client.Object) client.Object {
	f.version++
	stored := obj.DeepCopyObject().(client.Object)
	stored.SetResourceVersion(strconv.Itoa(f.version))
	f.log = append(f.log, fakeEvent{resourceOf(obj), kind, stored, f.version})
	f.changed.Broadcast()
	return stored
}

// deny has requests for a resource answered with an HTTP status; zero serves it
// again. Open watches of it end.
func (f *fakeAPI) deny(resource string, status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.denied[resource] = status
	f.changed.Broadcast()
}

func (f *fakeAPI) lists() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.asked)
}

// request is what the path and query of a request ask for.
type request struct {
	namespace, resource string
	labels              labels.Selector
	fields              fields.Selector
}

func (f *fakeAPI) serve(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	asked := request{resource: parts[len(parts)-1]}
	if i := slices.Index(parts, "namespaces"); i >= 0 && i < len(parts)-2 {
		asked.namespace = parts[i+1]
	}
	query := r.URL.Query()
	var errs [2]error
	asked.labels, errs[0] = labels.Parse(query.Get("labelSelector"))
	asked.fields, errs[1] = fields.ParseSelector(query.Get("fieldSelector"))
	f.mu.Lock()
	status := f.denied[asked.resource]
	f.mu.Unlock()
	switch {
	case errs != [2]error{}:
		refuse(w, http.StatusBadRequest)
	case status != 0:
		refuse(w, status)
	case asked.resource == metav1.NamespaceSystem: // it has no namespaces
		refuse(w, http.StatusNotFound)
	case query.Has("sendInitialEvents"):
		refuse(w, http.StatusBadRequest)
	case query.Get("watch") == "true":
		from, _ := strconv.Atoi(query.Get("resourceVersion"))
		f.watch(w, r, asked, from)
	default:
		f.list(w, r, asked)
	}
}

func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(refusedWith(status))
}

func (q request) wants(obj client.Object) bool {
	return (q.namespace == "" || q.namespace == obj.GetNamespace()) && q.labels.Matches(labels.Set(obj.GetLabels())) &&
		q.fields.Matches(fields.Set{"metadata.namespace": obj.GetNamespace(), "metadata.name": obj.GetName()})
}

func (f *fakeAPI) list(w http.ResponseWriter, r *http.Request, q request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked[r.URL.Path+"?"+r.URL.Query().Get("labelSelector")+"&"+r.URL.Query().Get("fieldSelector")]++
	items := []client.Object{}
	for name, obj := range f.now {
		if strings.HasPrefix(name, q.resource+"/") && q.wants(obj) {
			items = append(items, obj)
		}
	}
	kinds, _, err := scheme.Scheme.ObjectKinds(exampleOf(q.resource))
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"apiVersion": kinds[0].GroupVersion().String(), "kind": kinds[0].Kind + "List",
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(f.version)}, "items": items,
	})
}

func exampleOf(resource string) runtime.Object {
	switch resource {
	case "configmaps":
		return &corev1.ConfigMap{}
	case "secrets":
		return &corev1.Secret{}
	case "clusterroles":
		return &rbacv1.ClusterRole{}
	default:
		return &corev1.Namespace{}
	}
}

func (f *fakeAPI) watch(w http.ResponseWriter, r *http.Request, q request, from int) {
	w.Header().Set("Content-Type", "application/json")
	flush := w.(http.Flusher).Flush
	flush()
	kinds, _, err := scheme.Scheme.ObjectKinds(exampleOf(q.resource))
	if err != nil {
		panic(err)
	}
	defer context.AfterFunc(r.Context(), func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.changed.Broadcast()
	})()
	for at := 0; ; {
		f.mu.Lock()
		for at == len(f.log) && !f.closed && f.denied[q.resource] == 0 && r.Context().Err() == nil {
			f.changed.Wait()
		}
		if at == len(f.log) || f.denied[q.resource] != 0 {
			f.mu.Unlock()
			return
		}
		e := f.log[at]
		f.mu.Unlock()
		at++
		if e.version <= from || e.resource != q.resource || !q.wants(e.obj) {
			continue
		}
		obj := e.obj.DeepCopyObject().(client.Object)
		obj.GetObjectKind().SetGroupVersionKind(kinds[0])
		if json.NewEncoder(w).Encode(map[string]any{"type": e.kind, "object": obj}) != nil {
			return
		}
		flush()
	}
}
