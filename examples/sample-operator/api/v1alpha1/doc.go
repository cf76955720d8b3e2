// Package v1alpha1 is the API of the sample operator: a Site is some files, served by
// some Pods, at a hostname that no other Site has.
//
// The schema checks what one object can tell by itself, the webhook what would cost too much
// in CEL, and the controller what needs other objects. The types are plain data. The tests
// write good and bad Sites to a real API server.
//
// +kubebuilder:object:generate=true
// +groupName=web.example.com
package v1alpha1
