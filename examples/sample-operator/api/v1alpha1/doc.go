// Package v1alpha1 is the API of the sample operator: a Site is some files, served by
// some Pods, at a hostname that no other Site has.
//
//	Site shop ──▶ ConfigMap shop-files    spec.files
//	          ──▶ Deployment shop         spec.image, replicas, port; Secrets as environment
//	          ──▶ Service shop            port 80
//	          ──▶ a claim                 spec.hostname
//
// What one object can tell by itself, the schema checks, by CEL where the markers of a
// field don't reach, and the webhook where CEL would cost too much. What takes a look
// at other objects, the controller does, and says in the status.
//
// # Concurrency
//
// These are plain data.
//
// # Testing
//
// The tests of the controller and of the operator write Sites to a real API server, good
// ones and others. That what is generated fits these types is a test of the operator.
//
// +kubebuilder:object:generate=true
// +groupName=web.example.com
package v1alpha1
