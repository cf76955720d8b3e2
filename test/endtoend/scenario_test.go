package endtoend

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
	"github.com/delta-runtime/delta-runtime/test/endtoend/wireserver"
)

// The sides of a pair.
const (
	ours      = "ours"
	incumbent = "incumbent"
)

// The forms in which objects come from the wire into a cache.
const (
	typedJSON   = "json"
	typedBinary = "protobuf"
	untyped     = "unstructured" // as JSON, the kind of a CRD
)

// A scenario is what a server and a client do. First there is a list. Then come the events, and
// at last relists, and each finds one object that is new.
type scenario struct {
	Side    string
	Form    string
	Objects int
	Events  int
	Relists int
	Replays int  // relists whose answers are in memory when they begin
	Strip   bool // managedFields, before objects get into the cache
	Small   bool // objects are of some 2 KB, and not of 8
	// Default says that the server streams and compresses lists, as an API server does that
	// nobody has told otherwise. Without it nothing but objects is decoded.
	Default bool
	// Lies says that the server claims a change that it has not sent.
	Lies bool
}

// workloads are the kind of the CRD. They have what Pods have.
var workloads = schema.GroupVersionKind{Group: "bench.example.com", Version: "v1", Kind: "Workload"}

var podKind = corev1.SchemeGroupVersion.WithKind("Pod")

// collection is what the server of a scenario has.
func (s scenario) collection() wireserver.Collection {
	pods := benchkit.Pods(s.Objects)
	for _, pod := range pods {
		prepare(pod)
		if s.Small {
			shrink(pod)
		}
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return strings.Compare(key(a), key(b)) })
	c := wireserver.Collection{
		Kind: podKind, Resource: "pods", Formats: []wireserver.Format{wireserver.JSON},
		Version: int64(benchkit.VersionAfter(len(pods), 0)), Streams: s.Default, Compresses: s.Default,
	}
	convert := func(pod *corev1.Pod) wireserver.Object { return pod }
	switch s.Form {
	case typedBinary:
		c.Formats = []wireserver.Format{wireserver.Protobuf}
	case untyped:
		c.Kind, c.Resource = workloads, "workloads"
		convert = workload
	}
	for _, pod := range pods {
		c.Objects = append(c.Objects, convert(pod))
	}
	c.Changes = func(yield func(int, wireserver.Object) bool) {
		for i, pod := range s.changes(pods) {
			if !yield(i, convert(pod)) {
				return
			}
		}
	}
	return c
}

// changes are the events, and then the changes that the relists find: always the last object, so
// that the whole list is read when it is found.
func (s scenario) changes(pods []*corev1.Pod) iter.Seq2[int, *corev1.Pod] {
	return func(yield func(int, *corev1.Pod) bool) {
		for n := range s.Events + s.Relists + s.Replays {
			i := n * 7919 % len(pods) // a prime, so that neighbours in the list are none in time
			if n >= s.Events {
				i = len(pods) - 1
			}
			pods[i] = heartbeat(pods[i], n)
			pods[i].ResourceVersion = fmt.Sprint(benchkit.VersionAfter(len(pods), n+1))
			if !yield(i, pods[i]) {
				return
			}
		}
	}
}

func key(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

const (
	usage      = "autoscaler.example.com/usage"
	usageOwner = `{"f:metadata":{"f:annotations":{"f:autoscaler.example.com/usage":{}}}}`
)

// prepare gives a Pod its kind, and an annotation that somebody else changes.
func prepare(pod *corev1.Pod) {
	pod.SetGroupVersionKind(podKind)
	pod.Annotations = copied(pod.Annotations)
	pod.Annotations[usage] = "cpu=212m,memory=301Mi"
	pod.ManagedFields = append(pod.ManagedFields, metav1.ManagedFieldsEntry{
		Manager: "autoscaler", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1",
		Time: &pod.CreationTimestamp, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(usageOwner),
	})
}

// shrink leaves a Pod of some 2 KB: one container, a short status, and short managedFields.
func shrink(pod *corev1.Pod) {
	first := pod.Spec.Containers[0]
	pod.Spec = corev1.PodSpec{
		NodeName: pod.Spec.NodeName, ServiceAccountName: pod.Spec.ServiceAccountName,
		Containers: []corev1.Container{{Name: first.Name, Image: first.Image}},
	}
	pod.Status.ContainerStatuses, pod.Status.HostIPs, pod.Status.PodIPs = nil, nil, nil
	pod.Status.Conditions = pod.Status.Conditions[:3]
	delete(pod.Annotations, "checksum/config")
	for i := range pod.ManagedFields {
		pod.ManagedFields[i].FieldsV1 = metav1.NewFieldsV1(`{"f:status":{}}`)
	}
}

func copied(m map[string]string) map[string]string {
	c := make(map[string]string, len(m)+1)
	for k, v := range m {
		c[k] = v
	}
	return c
}

// heartbeat is a Pod after the n-th change, which is small as most are: a condition has another
// time, or an annotation another value, and managedFields say when.
func heartbeat(pod *corev1.Pod, n int) *corev1.Pod {
	next := *pod
	now := metav1.NewTime(time.Date(2026, 3, 9, 8, 0, n, 0, time.UTC))
	next.ManagedFields = slices.Clone(pod.ManagedFields)
	if n%2 == 0 {
		next.Status.Conditions = slices.Clone(pod.Status.Conditions)
		next.Status.Conditions[2].LastTransitionTime = now
		next.ManagedFields[1].Time = &now
		return &next
	}
	next.Annotations = copied(pod.Annotations)
	next.Annotations[usage] = fmt.Sprintf("cpu=%dm,memory=%dMi", 100+n*31%900, 100+n*17%900)
	next.ManagedFields[2].Time = &now
	return &next
}

// workload is a custom object that has what the Pod has.
func workload(pod *corev1.Pod) wireserver.Object {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
	if err != nil {
		panic(fmt.Sprintf("BUG: a Pod can't be converted: %v", err))
	}
	u := &unstructured.Unstructured{Object: fields}
	u.SetGroupVersionKind(workloads)
	return u
}
