//go:build slow

package controlplane

import (
	"context"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// watcher is the watch of one kind.
type watcher interface {
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
}

// watchUntil watches what options select until done accepts an object; it is nil when it
// has been deleted.
func watchUntil(t *testing.T, objects watcher, options metav1.ListOptions, done func(runtime.Object) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	w, err := objects.Watch(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		object := event.Object
		if event.Type == watch.Deleted {
			object = nil
		}
		if done(object) {
			return
		}
	}
	t.Fatalf("%+v never became what it should", options)
}

func named(name string) metav1.ListOptions {
	return metav1.ListOptions{FieldSelector: "metadata.name=" + name}
}

// since selects everything that happens to one object from that version on.
func since(o metav1.Object) metav1.ListOptions {
	return metav1.ListOptions{FieldSelector: "metadata.name=" + o.GetName(), ResourceVersion: o.GetResourceVersion()}
}

func gone(o runtime.Object) bool { return o == nil }

func deploy(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	labels, replicas := map[string]string{"app": name}, int32(2)
	_, err := client.AppsV1().Deployments("default").Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// hasReady accepts a Deployment that has that many Pods, all ready and of its present form.
func hasReady(replicas int32) func(runtime.Object) bool {
	return func(o runtime.Object) bool {
		d, ok := o.(*appsv1.Deployment)
		return ok && d.Status.ObservedGeneration == d.Generation &&
			d.Status.ReadyReplicas == replicas && d.Status.UpdatedReplicas == replicas && d.Status.Replicas == replicas
	}
}

func TestPodsBecomeReady(t *testing.T) {
	p := ForTest(t, Options{Workloads: true})
	client := clientFor(t, p.Config())
	deployments := client.AppsV1().Deployments("default")

	deploy(t, client, "web")
	watchUntil(t, deployments, named("web"), hasReady(2))
	change := []byte(`{"spec": {"replicas": 1, "template": {"spec": {"containers": [{"name": "web", "image": "web:2"}]}}}}`)
	if _, err := deployments.Patch(t.Context(), "web", types.StrategicMergePatchType, change, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	watchUntil(t, deployments, named("web"), hasReady(1)) // so Pods go away as well

	pods, err := client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=web"})
	if err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) != 1 || pods.Items[0].Spec.NodeName != nodeName || pods.Items[0].Spec.ServiceAccountName != "default" {
		t.Errorf("got Pods %v, want one that is on the node and has a service account", pods.Items)
	}
	_, err = client.CoreV1().Services("default").Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	watchUntil(t, client.DiscoveryV1().EndpointSlices("default"), metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=web"},
		func(o runtime.Object) bool {
			slice, ok := o.(*discoveryv1.EndpointSlice)
			return ok && len(slice.Endpoints) == 1 && slice.Endpoints[0].Addresses[0] == pods.Items[0].Status.PodIP
		})
}

func TestGarbageIsCollected(t *testing.T) {
	p := ForTest(t, Options{Workloads: true})
	client := clientFor(t, p.Config())
	maps := client.CoreV1().ConfigMaps("default")
	owner := create(t, client, "owner")
	child, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name:            "child",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := maps.Delete(t.Context(), owner.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	watchUntil(t, maps, since(child), gone)

	space, err := client.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "short-lived"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.CoreV1().Namespaces().Delete(t.Context(), space.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	watchUntil(t, client.CoreV1().Namespaces(), since(space), gone)
}

func TestWorkloadsOutliveTheAPIServer(t *testing.T) {
	p := ForTest(t, Options{Workloads: true})
	client := clientFor(t, p.Config())
	p.KillAPIServer()
	if err := p.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	deploy(t, client, "web")
	watchUntil(t, client.AppsV1().Deployments("default"), named("web"), hasReady(2))
}

func TestWorkloadsMayComeLater(t *testing.T) {
	p := ForTest(t, Options{})
	client := clientFor(t, p.Config())
	deploy(t, client, "web") // which nobody looks after yet
	if err := p.StartWorkloads(t.Context()); err != nil {
		t.Fatal(err)
	}
	watchUntil(t, client.AppsV1().Deployments("default"), named("web"), hasReady(2))
}
