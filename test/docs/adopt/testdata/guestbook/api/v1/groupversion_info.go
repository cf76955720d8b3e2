// Package v1 is the API of guestbooks.
// +kubebuilder:object:generate=true
// +groupName=webapp.my.domain
package v1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var (
	// GroupVersion is what all kinds of this package belong to.
	GroupVersion = schema.GroupVersion{Group: "webapp.my.domain", Version: "v1"}

	// SchemeBuilder collects the kinds of this package.
	SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}

	// AddToScheme makes them known to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)
