package delta

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Object is any Kubernetes object: typed, unstructured, or metadata alone. It is what
// controller-runtime calls client.Object.
type Object interface {
	metav1.Object
	runtime.Object
}
