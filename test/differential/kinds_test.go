package differential

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

// kind is a kind of objects that the games play with.
type kind struct {
	gvk        schema.GroupVersionKind
	plural     string // empty if the server has no such kind
	namespaced bool
	registered bool // in the scheme
	permanent  bool // objects can't be deleted, because nobody finalizes them
	typed      func() client.Object
	typedList  func() client.ObjectList
	content    map[string]any
}

func (k *kind) resource() schema.GroupVersionResource {
	return k.gvk.GroupVersion().WithResource(k.plural)
}

var (
	configMap = &kind{
		gvk: corev1.SchemeGroupVersion.WithKind("ConfigMap"), plural: "configmaps", namespaced: true, registered: true,
		typed:     func() client.Object { return &corev1.ConfigMap{} },
		typedList: func() client.ObjectList { return &corev1.ConfigMapList{} },
		content:   map[string]any{"data": map[string]any{"k": "v"}},
	}
	secret = &kind{
		gvk: corev1.SchemeGroupVersion.WithKind("Secret"), plural: "secrets", namespaced: true, registered: true,
		typed:     func() client.Object { return &corev1.Secret{} },
		typedList: func() client.ObjectList { return &corev1.SecretList{} },
		content:   map[string]any{"data": map[string]any{"k": "dg=="}},
	}
	pod = &kind{
		gvk: corev1.SchemeGroupVersion.WithKind("Pod"), plural: "pods", namespaced: true, registered: true,
		typed:     func() client.Object { return &corev1.Pod{} },
		typedList: func() client.ObjectList { return &corev1.PodList{} },
		content:   map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}}},
	}
	// networkPolicy is a kind that the server knows and the scheme does not.
	networkPolicy = &kind{
		gvk: networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy"), plural: "networkpolicies", namespaced: true,
		typed:     func() client.Object { return &networkingv1.NetworkPolicy{} },
		typedList: func() client.ObjectList { return &networkingv1.NetworkPolicyList{} },
		content:   map[string]any{"spec": map[string]any{"podSelector": map[string]any{}}},
	}
	widget = &kind{
		gvk: group.WithKind("Widget"), plural: "widgets", namespaced: true, registered: true,
		typed:     func() client.Object { return &Widget{} },
		typedList: func() client.ObjectList { return &WidgetList{} },
		content:   map[string]any{"spec": map[string]any{"parts": []any{"p", "q"}}},
	}
	node = &kind{
		gvk: corev1.SchemeGroupVersion.WithKind("Node"), plural: "nodes", registered: true,
		typed:     func() client.Object { return &corev1.Node{} },
		typedList: func() client.ObjectList { return &corev1.NodeList{} },
	}
	namespace = &kind{
		gvk: corev1.SchemeGroupVersion.WithKind("Namespace"), plural: "namespaces", registered: true, permanent: true,
		typed:     func() client.Object { return &corev1.Namespace{} },
		typedList: func() client.ObjectList { return &corev1.NamespaceList{} },
	}
	clusterRole = &kind{
		gvk: rbacv1.SchemeGroupVersion.WithKind("ClusterRole"), plural: "clusterroles", registered: true,
		typed:     func() client.Object { return &rbacv1.ClusterRole{} },
		typedList: func() client.ObjectList { return &rbacv1.ClusterRoleList{} },
	}
	// ghost is a kind that the scheme knows and the server does not.
	ghost = &kind{
		gvk: group.WithKind("Ghost"), namespaced: true, registered: true,
		typed:     func() client.Object { return &Ghost{} },
		typedList: func() client.ObjectList { return &GhostList{} },
	}

	kinds = []*kind{configMap, secret, pod, networkPolicy, widget, node, namespace, clusterRole}
)

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(s))
	utilruntime.Must(rbacv1.AddToScheme(s))
	s.AddKnownTypes(group, &Widget{}, &WidgetList{}, &Ghost{}, &GhostList{})
	metav1.AddToGroupVersion(s, group)
	return s
}

// form is the Go form of objects.
type form uint8

const (
	asType form = iota
	asMap
	asMetadata
	forms
)

func (f form) String() string { return [...]string{"typed", "unstructured", "metadata"}[f] }

// subject is a kind in a form. A cache has one informer for each subject.
type subject struct {
	kind *kind
	form form
}

func (s subject) String() string { return s.kind.gvk.Kind + " " + s.form.String() }

// readable reports whether the server and the scheme know enough to read it.
func (s subject) readable() bool {
	return s.kind.plural != "" && (s.kind.registered || s.form != asType)
}

func (s subject) object() client.Object {
	switch s.form {
	case asMap:
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(s.kind.gvk)
		return u
	case asMetadata:
		m := &metav1.PartialObjectMetadata{}
		m.SetGroupVersionKind(s.kind.gvk)
		return m
	}
	return s.kind.typed()
}

func (s subject) list() client.ObjectList {
	gvk := s.kind.gvk
	gvk.Kind += "List"
	switch s.form {
	case asMap:
		u := &unstructured.UnstructuredList{}
		u.SetGroupVersionKind(gvk)
		return u
	case asMetadata:
		m := &metav1.PartialObjectMetadataList{}
		m.SetGroupVersionKind(gvk)
		return m
	}
	return s.kind.typedList()
}

var group = schema.GroupVersion{Group: "differential.delta-runtime.dev", Version: "v1"}

// Widget is the Go type of a custom resource. Its list holds pointers.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              WidgetSpec `json:"spec"`
}

// WidgetSpec is the spec of a Widget.
type WidgetSpec struct {
	Parts []string `json:"parts,omitempty"`
}

// WidgetList is a list of pointers, as some generators make them.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []*Widget `json:"items"`
}

// DeepCopyObject copies w.
func (w *Widget) DeepCopyObject() runtime.Object {
	to := &Widget{TypeMeta: w.TypeMeta, Spec: WidgetSpec{Parts: slices.Clone(w.Spec.Parts)}}
	w.DeepCopyInto(&to.ObjectMeta)
	return to
}

// DeepCopyObject copies l.
func (l *WidgetList) DeepCopyObject() runtime.Object {
	to := &WidgetList{TypeMeta: l.TypeMeta}
	l.DeepCopyInto(&to.ListMeta)
	for _, w := range l.Items {
		to.Items = append(to.Items, w.DeepCopyObject().(*Widget))
	}
	return to
}

// Ghost is the Go type of a custom resource that is not installed.
type Ghost struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

// GhostList is a list of Ghosts.
type GhostList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Ghost `json:"items"`
}

// DeepCopyObject copies g.
func (g *Ghost) DeepCopyObject() runtime.Object {
	to := &Ghost{TypeMeta: g.TypeMeta}
	g.DeepCopyInto(&to.ObjectMeta)
	return to
}

// DeepCopyObject copies l.
func (l *GhostList) DeepCopyObject() runtime.Object {
	to := &GhostList{TypeMeta: l.TypeMeta}
	l.DeepCopyInto(&to.ListMeta)
	for _, g := range l.Items {
		to.Items = append(to.Items, *g.DeepCopyObject().(*Ghost))
	}
	return to
}

// wrapped is another Go type for unstructured objects. No cache holds such objects.
type wrapped struct{ unstructured.Unstructured }

// wrappedList is a list of unstructured objects of that type.
type wrappedList struct{ unstructured.UnstructuredList }

var widgetDefinition = manifests.Definition(group.WithKind("Widget"), map[string]any{
	"type": "object",
	"properties": map[string]any{"spec": map[string]any{
		"type": "object", "x-kubernetes-preserve-unknown-fields": true,
	}},
})
