package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DefaultImage is what the Pods of a Site run that names no image.
const DefaultImage = "nginxinc/nginx-unprivileged:1.29-alpine"

// DefaultPort is the port of a Site that names none.
const DefaultPort int32 = 8080

// SiteSpec says what to serve, and how.
type SiteSpec struct {
	// image is what the Pods run. It has to serve /usr/share/nginx/html on the port, as a user
	// other than root. If it is empty, the Pods run an nginx that does so.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image,omitempty"`

	// replicas is how many Pods there are.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Replicas *int32 `json:"replicas,omitempty"`

	// port is the port that the image listens on. The Service always has port 80.
	// +optional
	// +kubebuilder:default=8080
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port,omitempty"`

	// files are the files to serve: their names and contents. All of them together have to fit
	// into a ConfigMap, which takes a megabyte.
	// +optional
	// +kubebuilder:validation:MaxProperties=100
	Files map[string]string `json:"files,omitempty"`

	// secrets are the names of Secrets in the same namespace. The Pods have their contents as
	// environment variables, and are replaced when the contents change. While a Secret is
	// missing, the Pods stay as they are.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Secrets []string `json:"secrets,omitempty"`

	// hostname is the name that the site is served under. No two Sites of the cluster hold the
	// same one: a Site that asks for it later waits until the other one gives it back.
	// +optional
	// +kubebuilder:validation:MaxLength=244
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Hostname string `json:"hostname,omitempty"`
}

// The conditions of a Site.
const (
	// ConditionReady is true when everything that the spec asks for exists, and all Pods are
	// ready.
	ConditionReady = "Ready"
	// ConditionSecretsFound is true when every Secret that the spec names exists.
	ConditionSecretsFound = "SecretsFound"
	// ConditionHostnameHeld is true when no other Site can have the hostname.
	ConditionHostnameHeld = "HostnameHeld"
)

// LastChange says which objects of a Site the operator changed last, and why.
type LastChange struct {
	// time is when it was done.
	// +required
	Time metav1.Time `json:"time"`

	// because is what caused it.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Because string `json:"because,omitempty"`

	// wrote are the objects that it changed.
	// +optional
	// +listType=atomic
	Wrote []string `json:"wrote,omitempty"`
}

// SiteStatus says how far the operator has come with a Site.
type SiteStatus struct {
	// observedGeneration is the generation of the spec that the rest of the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// readyReplicas is how many Pods can serve.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`

	// hostname is the hostname that the Site holds.
	// +optional
	Hostname string `json:"hostname,omitempty"`

	// conditions are Ready, SecretsFound and HostnameHeld.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// lastChange is the last change that the operator made, and why.
	// +optional
	LastChange *LastChange `json:"lastChange,omitempty"`
}

// Site is some files, served.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.readyReplicas
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="Hostname",type=string,JSONPath=`.status.hostname`
// +kubebuilder:printcolumn:name="Because",type=string,JSONPath=`.status.lastChange.because`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name is also that of a Service: at most 63 lower case letters, digits and '-', a letter first"
type Site struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec says what is wanted.
	// +optional
	// +kubebuilder:default={}
	Spec SiteSpec `json:"spec,omitzero"`

	// status says what there is.
	// +optional
	Status SiteStatus `json:"status,omitzero"`
}

// SiteList is a list of Sites.
// +kubebuilder:object:root=true
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []Site `json:"items"`
}
