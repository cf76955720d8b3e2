package footprint

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pod is as large as those of real clusters.
func pod() *corev1.Pod {
	p := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "web-5d4f6c9b7-x2lqp", UID: "0b1f6a52-6d6e-4a0c-9d6a-3a3f1f6c7b11", ResourceVersion: "1234567",
			Labels:      map[string]string{"app": "web", "tier": "front", "pod-template-hash": "5d4f6c9b7"},
			Annotations: map[string]string{"example.com/checksum": strings.Repeat("0af3", 16)},
		},
		Spec: corev1.PodSpec{NodeName: "node-17.example.com", ServiceAccountName: "default", Volumes: []corev1.Volume{
			{Name: "kube-api-access-abcde", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}}}},
		}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.244.3.17", HostIP: "192.168.12.4"},
	}
	for i := range 3 {
		p.ManagedFields = append(p.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: fmt.Sprint("manager-", i), Operation: "Update", APIVersion: "v1", FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{` + strings.Repeat(`"f:image":{},`, 40*i) + `"f:name":{}}}}`),
		})
	}
	for i := range 3 {
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{
			Name: fmt.Sprint("container-", i), Image: "registry.example.com/shop/web:1.2.3",
			Env: []corev1.EnvVar{{Name: "LOG_LEVEL", Value: "information"}, {Name: "HOME", Value: "/root"}},
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
				"cpu": resource.MustParse("500m"), "memory": resource.MustParse("128Mi"),
			}},
		})
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: "True", Message: "all is well with it"})
	}
	return p
}
