package operator

import (
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

const group = "operator.delta-runtime.dev"

// Custom has the fields of the kinds that only these tests have.
type Custom struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              CustomSpec `json:"spec"`
}

// CustomSpec has a value without a meaning.
type CustomSpec struct {
	Value string `json:"value"`
}

// Widget is a kind that the shared control plane has.
type Widget struct{ Custom }

// WidgetList lists them.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Widget `json:"items"`
}

// Gadget is a kind whose CRD is installed later.
type Gadget struct{ Custom }

// GadgetList lists them.
type GadgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Gadget `json:"items"`
}

func (c *Custom) copied() Custom {
	return Custom{TypeMeta: c.TypeMeta, ObjectMeta: *c.ObjectMeta.DeepCopy(), Spec: c.Spec}
}

// DeepCopyObject makes it an object.
func (w *Widget) DeepCopyObject() runtime.Object { return &Widget{w.copied()} }

// DeepCopyObject makes it an object.
func (g *Gadget) DeepCopyObject() runtime.Object { return &Gadget{g.copied()} }

// DeepCopyObject makes it an object.
func (l *WidgetList) DeepCopyObject() runtime.Object {
	out := &WidgetList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		out.Items = append(out.Items, Widget{l.Items[i].copied()})
	}
	return out
}

// DeepCopyObject makes it an object.
func (l *GadgetList) DeepCopyObject() runtime.Object {
	out := &GadgetList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		out.Items = append(out.Items, Gadget{l.Items[i].copied()})
	}
	return out
}

// kind is a kind of objects that the tests write.
type kind struct {
	schema.GroupVersionKind
	object func() client.Object
	list   func() client.ObjectList
}

var (
	configMaps = kind{
		corev1.SchemeGroupVersion.WithKind("ConfigMap"),
		func() client.Object { return &corev1.ConfigMap{} }, func() client.ObjectList { return &corev1.ConfigMapList{} },
	}
	widgets = kind{
		schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Widget"},
		func() client.Object { return &Widget{} }, func() client.ObjectList { return &WidgetList{} },
	}
	gadgets = kind{
		schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Gadget"},
		func() client.Object { return &Gadget{} }, func() client.ObjectList { return &GadgetList{} },
	}
)

// newScheme returns a scheme with all kinds that the tests use.
func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	if err := scheme.AddToScheme(s); err != nil {
		panic(err)
	}
	version := schema.GroupVersion{Group: group, Version: "v1"}
	s.AddKnownTypes(version, &Widget{}, &WidgetList{}, &Gadget{}, &GadgetList{})
	metav1.AddToGroupVersion(s, version)
	return s
}

// stepLabel is a label that each write sets. Objects in every form show it.
const stepLabel = "step"

// with returns an object of a kind after a step, for the API.
func (k kind) with(key client.ObjectKey, step string) *unstructured.Unstructured {
	content := map[string]any{"spec": map[string]any{"value": step}}
	if k.Group == "" {
		content = map[string]any{"data": map[string]any{"value": step}}
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(k.GroupVersionKind)
	u.SetNamespace(key.Namespace)
	u.SetName(key.Name)
	u.SetLabels(map[string]string{stepLabel: step})
	return u
}

// definition is the CRD of a kind.
func (k kind) definition() *unstructured.Unstructured {
	return manifests.Definition(k.GroupVersionKind, manifests.Spec(map[string]any{"value": map[string]any{"type": "string"}}))
}

// define has the server know a kind, if it does not yet.
func define(t *testing.T, api client.Client, k kind) {
	t.Helper()
	if err := api.Create(t.Context(), k.definition()); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	await.Until(t, "the server to serve "+k.Kind, func() bool {
		return api.List(t.Context(), listOf(k, unstructuredForm)) == nil
	})
}

// undefine has the server forget a kind.
func undefine(t *testing.T, api client.Client, k kind) {
	t.Helper()
	definition := k.definition()
	if err := api.Delete(t.Context(), definition); err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	await.Until(t, "the server to forget "+k.Kind, func() bool {
		return apierrors.IsNotFound(api.Get(t.Context(), client.ObjectKeyFromObject(definition), definition))
	})
}

// form is how objects of a kind are represented in a cache.
type form string

const (
	typedForm        form = "typed"
	unstructuredForm form = "unstructured"
	metadataForm     form = "metadata"
)

func objectOf(k kind, f form) client.Object {
	switch f {
	case unstructuredForm:
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(k.GroupVersionKind)
		return u
	case metadataForm:
		m := &metav1.PartialObjectMetadata{}
		m.SetGroupVersionKind(k.GroupVersionKind)
		return m
	default:
		return k.object()
	}
}

func listOf(k kind, f form) client.ObjectList {
	gvk := k.GroupVersionKind
	gvk.Kind += "List"
	switch f {
	case unstructuredForm:
		u := &unstructured.UnstructuredList{}
		u.SetGroupVersionKind(gvk)
		return u
	case metadataForm:
		m := &metav1.PartialObjectMetadataList{}
		m.SetGroupVersionKind(gvk)
		return m
	default:
		return k.list()
	}
}

// world has the version of each object.
type world map[client.ObjectKey]string

func (w world) equal(other world) bool { return maps.Equal(w, other) }

// worldOf is what a reader knows of a kind.
func worldOf(t *testing.T, from client.Reader, list client.ObjectList, opts ...client.ListOption) world {
	t.Helper()
	must(t, from.List(t.Context(), list, opts...))
	items, err := meta.ExtractList(list)
	must(t, err)
	w := world{}
	for _, item := range items {
		o := item.(client.Object)
		w[client.ObjectKeyFromObject(o)] = o.GetResourceVersion()
	}
	return w
}

// newNamespace makes a namespace that no other test uses.
func newNamespace(t *testing.T, api client.Client) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "operator-"}}
	must(t, api.Create(t.Context(), namespace))
	return namespace.Name
}

// create, change and remove write an object in one step each.
func create(t *testing.T, api client.Client, k kind, key client.ObjectKey) {
	t.Helper()
	must(t, api.Create(t.Context(), k.with(key, "1")))
}

func change(t *testing.T, api client.Client, to *unstructured.Unstructured) {
	t.Helper()
	before := &unstructured.Unstructured{}
	before.SetGroupVersionKind(to.GroupVersionKind())
	must(t, api.Patch(t.Context(), to, client.MergeFrom(before)))
}

func remove(t *testing.T, api client.Client, k kind, key client.ObjectKey) {
	t.Helper()
	must(t, api.Delete(t.Context(), k.with(key, "")))
}
