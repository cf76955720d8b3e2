package benchkit

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// creator says that the ReplicaSet's controller made the Pod.
func (o *owner) creator(when metav1.Time) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: "kube-controller-manager", Operation: metav1.ManagedFieldsOperationUpdate,
		APIVersion: "v1", Time: &when, FieldsType: "FieldsV1", FieldsV1: o.fields,
	}
}

// kubelet says that the node's agent wrote the status. The address is part of a
// field's path, so no two Pods have the same bytes here.
func kubelet(ip string, when metav1.Time) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: "kubelet", Operation: metav1.ManagedFieldsOperationUpdate,
		APIVersion: "v1", Time: &when, FieldsType: "FieldsV1", Subresource: "status",
		FieldsV1: metav1.NewFieldsV1(statusFields + ip + statusFieldsEnd),
	}
}

const (
	creatorFields = `{"f:metadata":{"f:annotations":{".":{},"f:checksum/config":{},"f:prometheus.io/port":{},"f:prometheus.io/scrape":{}},` +
		`"f:generateName":{},"f:labels":{".":{},"f:app.kubernetes.io/component":{},"f:app.kubernetes.io/instance":{},` +
		`"f:app.kubernetes.io/managed-by":{},"f:app.kubernetes.io/name":{},"f:app.kubernetes.io/version":{},"f:pod-template-hash":{}},` +
		`"f:ownerReferences":{".":{},"k:{\"uid\":\"b7a1c1f4-1d1e-4c57-a3f0-6a1f6a1c2f11\"}":{}}},` +
		`"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:args":{},"f:env":{".":{},` +
		`"k:{\"name\":\"CACHE_ADDRESS\"}":{".":{},"f:name":{},"f:value":{}},"k:{\"name\":\"DATABASE_URL\"}":{".":{},"f:name":{},` +
		`"f:valueFrom":{".":{},"f:secretKeyRef":{}}},"k:{\"name\":\"REGION\"}":{".":{},"f:name":{},"f:value":{}}},` +
		`"f:image":{},"f:imagePullPolicy":{},"f:livenessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":{}}},` +
		`"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":8080,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{},"f:protocol":{}}},` +
		`"f:resources":{".":{},"f:limits":{".":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}},"f:volumeMounts":{}},` +
		`"k:{\"name\":\"proxy\"}":{".":{},"f:env":{".":{},"k:{\"name\":\"LOG_LEVEL\"}":{".":{},"f:name":{},"f:value":{}},` +
		`"k:{\"name\":\"PROXY_CONCURRENCY\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:name":{},"f:ports":{},"f:resources":{}}},` +
		`"f:dnsPolicy":{},"f:enableServiceLinks":{},"f:restartPolicy":{},"f:schedulerName":{},"f:serviceAccountName":{},"f:volumes":{}}}`

	statusFields = `{"f:status":{"f:conditions":{"k:{\"type\":\"ContainersReady\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},` +
		`"k:{\"type\":\"Initialized\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},` +
		`"k:{\"type\":\"Ready\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},` +
		`"k:{\"type\":\"PodReadyToStartContainers\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},` +
		`"f:containerStatuses":{},"f:hostIP":{},"f:hostIPs":{},"f:phase":{},"f:podIP":{},"f:podIPs":{".":{},"k:{\"ip\":\"`
	statusFieldsEnd = `\"}":{".":{},"f:ip":{}}},"f:startTime":{}}}`
)
