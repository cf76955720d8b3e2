package cache

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FuzzReads asks for anything by any name: there is an answer or an error, and no
// panic.
func FuzzReads(f *testing.F) {
	f.Add("red", "a", "name=a", "data.x=1", "v1", "ConfigMap", int64(1), "token")
	f.Add("", "", "", "", "", "", int64(-1), "")
	f.Add("../..", "%zz", "a in (b,c),!d", "a!=b", "apps/v1/x", "List", int64(1)<<62, noPages)
	api := newFakeAPI(f)
	api.put(configMap("red", "a"))
	c, err := NewWithOptions(api.config(), crcache.Options{
		Mapper: fakeMapper(), ReaderFailOnMissingInformer: true,
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	}, Options{})
	must(f, err)
	informerOf(f, c, configMaps)
	start(f, c)
	f.Fuzz(func(t *testing.T, namespace, name, label, field, version, kind string, limit int64, token string) {
		options := []client.ListOption{client.InNamespace(namespace), client.Limit(limit), client.Continue(token)}
		if s, err := labels.Parse(label); err == nil {
			options = append(options, client.MatchingLabelsSelector{Selector: s})
		}
		if s, err := fields.ParseSelector(field); err == nil && !s.Empty() {
			options = append(options, client.MatchingFieldsSelector{Selector: s})
		}
		gvk := schema.GroupVersionKind{Version: version, Kind: kind}
		about := kinded(gvk, &metav1.PartialObjectMetadata{})
		key := client.ObjectKey{Namespace: namespace, Name: name}
		for _, obj := range []client.Object{&corev1.ConfigMap{}, mapOf(gvk), about} {
			_ = c.Get(t.Context(), key, obj)
			_ = c.RemoveInformer(t.Context(), about)
		}
		_ = c.List(t.Context(), &corev1.ConfigMapList{}, options...)
		_ = c.List(t.Context(), kinded(gvk, &unstructured.UnstructuredList{}), options...)
		_ = c.AddNamespace(t.Context(), namespace, crcache.Config{})
		_, _ = c.GetInformerForKind(t.Context(), gvk)
	})
}
