package differential

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

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
