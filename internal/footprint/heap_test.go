package footprint

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
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

// decoded returns how to make a value that shares nothing with any other.
func decoded[T any](t *testing.T, like any) func() any {
	t.Helper()
	text, err := json.Marshal(like)
	if err != nil {
		t.Fatal(err)
	}
	return func() any {
		v := new(T)
		if err := json.Unmarshal(text, v); err != nil {
			t.Error(err)
		}
		return v
	}
}

func manyKeys(n int) *unstructured.Unstructured {
	spec := map[string]any{}
	for i := range n {
		spec[fmt.Sprint("key-number-", i)] = map[string]any{"a": "some text", "n": int64(i)}
	}
	return &unstructured.Unstructured{Object: map[string]any{"kind": "Wide", "apiVersion": "example.com/v1", "spec": spec}}
}

func TestAgainstTheHeap(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Data: map[string][]byte{"tls.crt": make([]byte, 3000), "tls.key": make([]byte, 1700)}}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Data: map[string]string{}}
	for i := range 300 {
		config.Data[fmt.Sprint("setting-number-", i)] = strings.Repeat("v", i)
	}
	podAsContent := decoded[unstructured.Unstructured](t, &unstructured.Unstructured{Object: samples.Tree(pod())})
	for name, tt := range map[string]func() any{
		"pod":                     decoded[corev1.Pod](t, pod()),
		"bare pod":                decoded[corev1.Pod](t, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "bare"}}),
		"deployment":              decoded[appsv1.Deployment](t, samples.Web()),
		"secret":                  decoded[corev1.Secret](t, secret),
		"config map":              decoded[corev1.ConfigMap](t, config),
		"unstructured pod":        podAsContent,
		"unstructured deployment": decoded[unstructured.Unstructured](t, &unstructured.Unstructured{Object: samples.Tree(samples.Web())}),
		"unstructured with many":  decoded[unstructured.Unstructured](t, manyKeys(3000)),
		"strings":                 func() any { return strings.Split(strings.Clone(strings.Repeat("text,", 100)), ",") },
		"bytes":                   func() any { b := make([]byte, 100_000); return &b },
		"numbers":                 func() any { return map[int]int{1: 2, 3: 4} },
		"large values":            func() any { return map[string][40]int{"a": {}, "b": {}} },
	} {
		t.Run(name, func(t *testing.T) {
			const many = 200
			objects := make([]any, many)
			before := heap()
			for i := range objects {
				objects[i] = tt()
			}
			took := (heap() - before) / many
			var said int64
			for _, obj := range objects {
				said += Of(obj)
			}
			said /= many
			t.Logf("it takes %d bytes, the estimate is %d", took, said)
			if name != "strings" && (said < took*3/4 || said > took*5/4) { // all of these strings are parts of one
				t.Errorf("it takes %d bytes, the estimate is %d", took, said)
			}
			runtime.KeepAlive(objects)
		})
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestClassesAreThoseOfTheAllocator(t *testing.T) {
	for size := tiny; size <= largest; size += 7 {
		if got, want := block(int64(size)), cap(append([]byte(nil), make([]byte, size)...)); got != int64(want) {
			t.Fatalf("an allocation of %d bytes is said to take %d, and takes %d", size, got, want)
		}
	}
}
