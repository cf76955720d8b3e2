package benchkit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// How Pods are spread. A hundred thousand of them are 2,000 ReplicaSets of 50 in
// 100 namespaces, so a namespace holds 1,000 and a ReplicaSet's label selects 50.
const (
	Namespaces     = 100
	PodsPerOwner   = 50
	podsPerNode    = 40
	ownersPerApp   = 4
	firstVersion   = 1_000_000
	secondsBetween = 7
)

// LabelOwner is the label that all Pods of one ReplicaSet share with no other.
const LabelOwner = "pod-template-hash"

// epoch is when the first Pod was made. Being fixed, it makes two runs of a
// benchmark work on equal bytes.
var epoch = time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC)

// Pods makes n Pods: running, owned by ReplicaSets, as an API server would
// send them. The i-th Pod is the same in every call, whatever n.
//
// Pods of one ReplicaSet share labels, owner, containers and whatever else
// their template dictates, so that a hundred thousand take 0.4 GB instead of 1.6.
// They are therefore read-only. Memory figures need a deep copy of each: it holds what a Pod holds
// that was decoded from the wire, apart from strings.
func Pods(n int) []*corev1.Pod {
	pods := make([]*corev1.Pod, n)
	var owner *owner
	for i := range pods {
		if i%PodsPerOwner == 0 {
			owner = newOwner(i / PodsPerOwner)
		}
		pods[i] = owner.pod(i)
	}
	return pods
}

// Changed is a copy of the Pod at another resource version. It shares everything
// else with it, so it is as cheap as a copy can be.
func Changed(pod *corev1.Pod, version uint64) *corev1.Pod {
	next := *pod
	next.ResourceVersion = strconv.FormatUint(version, 10)
	return &next
}

// VersionAfter is a resource version higher than those of n Pods as made, for
// the i-th change to them.
func VersionAfter(n, i int) uint64 { return firstVersion + uint64(n) + uint64(i) }

// NamespaceOf is the namespace of the i-th Pod.
func NamespaceOf(i int) string { return namespace(i / PodsPerOwner) }

// OwnerOf is the value of [LabelOwner] on the i-th Pod.
func OwnerOf(i int) string { return templateHash(i / PodsPerOwner) }

func namespace(owner int) string { return fmt.Sprintf("team-%02d-production", owner%Namespaces) }

func templateHash(owner int) string { return letters(mix(uint64(owner), 1), 10) }

// pod makes the i-th Pod. It sets here what differs between the Pods of one ReplicaSet.
func (o *owner) pod(i int) *corev1.Pod {
	random := mix(uint64(i), 2)
	created := metav1.NewTime(epoch.Add(time.Duration(i*secondsBetween) * time.Second))
	started := metav1.NewTime(created.Add(2 * time.Second))
	ready := metav1.NewTime(created.Add(time.Duration(8+random%50) * time.Second))
	ip := fmt.Sprintf("10.%d.%d.%d", 64+i>>16&63, i>>8&255, i&255)
	node := uint64(i) / podsPerNode
	host := fmt.Sprintf("172.16.%d.%d", node>>8&255, node&255)

	pod := o.template // a copy: its pointers are shared, its fields are not
	pod.Name = pod.GenerateName + suffix(i, random)
	pod.UID = uid(random)
	pod.ResourceVersion = strconv.Itoa(firstVersion + i)
	pod.CreationTimestamp = created
	pod.Spec.NodeName = fmt.Sprintf("ip-172-16-%d-%d.eu-central-1.compute.internal", node>>8&255, node&255)
	pod.ManagedFields = slices.Clone(pod.ManagedFields)
	creator, kubelet := &pod.ManagedFields[0], &pod.ManagedFields[1]
	creator.Time, kubelet.Time = &created, &ready
	// The address is part of a field's path, so no two Pods have the same bytes here.
	kubelet.FieldsV1 = metav1.NewFieldsV1(strings.Replace(kubelet.FieldsV1.GetRawString(), "${ip}", ip, 1))
	pod.Status.Conditions = slices.Clone(pod.Status.Conditions)
	for j := range pod.Status.Conditions {
		c := &pod.Status.Conditions[j]
		c.LastTransitionTime = started
		if c.Type == corev1.PodReady || c.Type == corev1.ContainersReady {
			c.LastTransitionTime = ready
		}
	}
	pod.Status.HostIP, pod.Status.HostIPs = host, []corev1.HostIP{{IP: host}}
	pod.Status.PodIP, pod.Status.PodIPs = ip, []corev1.PodIP{{IP: ip}}
	pod.Status.StartTime = &started
	pod.Status.ContainerStatuses = o.containerStatuses(random, ready)
	return &pod
}

// suffix ends the name of the i-th Pod. Its remainder by PodsPerOwner is the Pod's
// place in its ReplicaSet, so that no two there get the same.
func suffix(i int, random uint64) string {
	const different = 27 * 27 * 27 * 27 * 27
	place := uint64(i % PodsPerOwner)
	return letters(random%(different/PodsPerOwner)*PodsPerOwner+place, 5)
}

// uid makes the text of a version 4 UUID.
func uid(random uint64) types.UID {
	a, b := mix(random, 3), mix(random, 4)
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff, b&0xffffffffffff))
}

// mix turns a small number into one that looks random (the finalizer of
// SplitMix64). It is used in place of a generator so that the i-th Pod does not
// depend on those before it.
func mix(v, stream uint64) uint64 {
	v += (stream + 1) * 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// letters spells v with the letters that Kubernetes uses in generated names.
func letters(v uint64, n int) string {
	const alphabet = "bcdfghjklmnpqrstvwxz2456789"
	text := make([]byte, n)
	for i := range text {
		text[i] = alphabet[v%uint64(len(alphabet))]
		v /= uint64(len(alphabet))
	}
	return string(text)
}
