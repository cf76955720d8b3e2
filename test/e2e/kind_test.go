package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

// kind is a kind of object that the test writes.
type kind struct {
	name     string
	resource schema.GroupVersionResource
	sample   runtime.Object
	// informs returns the functions that an informer of the kind lists and watches with.
	informs func(*rest.Config, *http.Client) (*cache.ListWatch, any, error)
	// content returns the fields with the value. The test only writes numbers.
	content func(value int64) map[string]any
}

const ownerLabel = "e2e.delta-runtime.dev/owner"

var configMaps = kind{
	name:     "ConfigMap",
	resource: corev1.SchemeGroupVersion.WithResource("configmaps"),
	sample:   &corev1.ConfigMap{},
	informs: func(config *rest.Config, via *http.Client) (*cache.ListWatch, any, error) {
		client, err := kubernetes.NewForConfigAndClient(config, via)
		if err != nil {
			return nil, nil, err
		}
		all := client.CoreV1().ConfigMaps(metav1.NamespaceAll)
		return &cache.ListWatch{
			ListWithContextFunc:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return all.List(ctx, o) },
			WatchFuncWithContext: all.Watch,
		}, client, nil
	},
	content: func(value int64) map[string]any {
		return map[string]any{"data": map[string]any{"value": fmt.Sprint(value)}}
	},
}

var widgetResource = schema.GroupVersionResource{Group: "e2e.delta-runtime.dev", Version: "v1", Resource: "widgets"}

var widgets = kind{
	name:     "Widget",
	resource: widgetResource,
	sample: &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "e2e.delta-runtime.dev/v1", "kind": "Widget",
	}},
	informs: func(config *rest.Config, via *http.Client) (*cache.ListWatch, any, error) {
		client, err := dynamic.NewForConfigAndClient(config, via)
		if err != nil {
			return nil, nil, err
		}
		all := client.Resource(widgetResource)
		return &cache.ListWatch{
			ListWithContextFunc:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return all.List(ctx, o) },
			WatchFuncWithContext: all.Watch,
		}, client, nil
	},
	content: func(value int64) map[string]any {
		return map[string]any{"spec": map[string]any{"value": value}}
	},
}

var widgetDefinition = manifests.Definition(widgetResource.GroupVersion().WithKind("Widget"),
	manifests.Spec(map[string]any{"value": map[string]any{"type": "integer", "format": "int64"}}))

func (k kind) object(key cache.ObjectName, value int64) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: k.content(value)}
	o.SetAPIVersion(k.resource.GroupVersion().String())
	o.SetKind(k.name)
	o.SetNamespace(key.Namespace)
	o.SetName(key.Name)
	o.SetLabels(map[string]string{ownerLabel: "restored"})
	return o
}

// onServer lists the objects on the server.
func onServer(t *testing.T, lw *cache.ListWatch) map[cache.ObjectName]metav1.Object {
	t.Helper()
	list, err := lw.ListWithContext(t.Context(), metav1.ListOptions{})
	must(t, err)
	items, err := meta.ExtractList(list)
	must(t, err)
	world := map[cache.ObjectName]metav1.Object{}
	for _, item := range items {
		world[cache.MetaObjectToName(object(item))] = object(item)
	}
	return world
}

func inStore(store cache.Store) map[cache.ObjectName]metav1.Object {
	world := map[cache.ObjectName]metav1.Object{}
	for _, obj := range store.List() {
		world[cache.MetaObjectToName(object(obj))] = object(obj)
	}
	return world
}

func object(obj any) metav1.Object {
	accessor, err := meta.Accessor(obj)
	if err != nil {
		panic(fmt.Sprintf("read the metadata of a %T: %v", obj, err))
	}
	return accessor
}
