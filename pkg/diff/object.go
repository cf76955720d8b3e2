package diff

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// Object is any Kubernetes object: typed, unstructured, or metadata alone. It is what
// controller-runtime calls client.Object.
type Object interface {
	metav1.Object
	runtime.Object
}

// Schemas knows the types of objects. So it knows which of their lists are sets, which are
// maps and by what key, and which are one value. The TypeConverters of apimachinery and of
// client-go's applyconfigurations are Schemas. Both ask an object for its apiVersion and
// kind, which an object that a typed client returns does not have.
type Schemas interface {
	ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error)
}
