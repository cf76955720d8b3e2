// Package v1alpha1 is the API of the sample operator: a Site is some files, served by
// some Pods, at a hostname that no other Site has.
//
//	Site shop ──▶ ConfigMap shop-files    spec.files
//	          ──▶ Deployment shop         spec.image, replicas, port; Secrets as environment
//	          ──▶ Service shop            port 80
//	          ──▶ a claim                 spec.hostname
//
// The schema checks what one object can tell by itself. It uses CEL where the markers of a
// field are not enough. The webhook does the checks that would cost too much in CEL. The
// controller does the checks that need other objects, and writes the result into the status.
//
// # Concurrency
//
// The types are plain data.
//
// # Testing
//
// The tests of the controller and of the operator write good and bad Sites to a real API
// server. A test of the operator checks that the generated files fit these types.
//
// +kubebuilder:object:generate=true
// +groupName=web.example.com
package v1alpha1
