package main

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

// TestManifestsFit applies everything in config to a real API server, and then applies it
// again. The server refuses fields that it does not know.
func TestManifestsFit(t *testing.T) {
	plane := controlplane.ForTest(t, controlplane.Options{})
	api := directly(t, plane.Config())
	objects := built(t, "default")
	deploy(t, api, objects)
	settle(t, api)
	same(t, api, objects)
	// Nothing serves the deployed webhooks here.
	for _, object := range objects {
		if manifests.HasWebhooks(object) {
			if err := api.Delete(t.Context(), object); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, object := range built(t, "samples") {
		object.SetNamespace("default")
		objects = append(objects, object)
	}
	objects = append(objects, built(t, "network-policy")...)
	for _, object := range objects[len(objects)-2:] {
		object.SetNamespace(namespace)
	}
	objects = slices.DeleteFunc(objects, manifests.HasWebhooks)
	same(t, api, objects)
}

// same applies objects twice, and checks that the second time changes nothing.
func same(t *testing.T, api client.Client, objects []*unstructured.Unstructured) {
	t.Helper()
	first := deploy(t, api, objects)
	for name, version := range deploy(t, api, objects) {
		if first[name] != version {
			t.Errorf("to apply %s again has changed it", name)
		}
	}
}

// TestTheOperatorRuns deploys everything in config/default to a real API server. It runs the
// operator with only the rights that config/default grants, and lets the server call its
// webhooks.
func TestTheOperatorRuns(t *testing.T) {
	plane := controlplane.ForTest(t, controlplane.Options{})
	api := directly(t, plane.Config())
	objects := built(t, "default")
	deploy(t, api, objects)
	settle(t, api)

	o := start(t, plane, "--leader-elect")
	objects = slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool { return !manifests.HasWebhooks(o) })
	for _, object := range objects {
		if err := manifests.CallAt(object, o.webhooks, o.bundle); err != nil {
			t.Fatal(err)
		}
	}
	deploy(t, api, objects) // no Service leads to this machine
	await.Until(t, "the operator to be ready", func() bool { return o.isReady(t) })

	site := &webv1alpha1.Site{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "shop"},
		Spec:       webv1alpha1.SiteSpec{Hostname: "shop.example.com", Files: map[string]string{"index.html": "hi"}},
	}
	await.Until(t, "the webhooks to be trusted", func() bool {
		err := api.Create(t.Context(), site)
		if err != nil {
			t.Log(err)
		}
		return err == nil
	})
	if site.Spec.Image != webv1alpha1.DefaultImage {
		t.Errorf("the webhook has left the image at %q", site.Spec.Image)
	}
	await.Until(t, "the Site to have its hostname", func() bool {
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(site), site); err != nil {
			t.Fatal(err)
		}
		return apimeta.IsStatusConditionTrue(site.Status.Conditions, webv1alpha1.ConditionHostnameHeld)
	})
	bad := site.DeepCopy()
	bad.Spec.Files = map[string]string{"../../etc/passwd": ""}
	if err := api.Update(t.Context(), bad); !contains(err, "spec.files") {
		t.Errorf("a file with a bad name was answered with %v", err)
	}
	await.Until(t, "an Event to be written", func() bool {
		var events corev1.EventList
		if err := api.List(t.Context(), &events, client.InNamespace("default")); err != nil {
			t.Fatal(err)
		}
		for i := range events.Items {
			if events.Items[i].Reason == "Created" && events.Items[i].InvolvedObject.Name == "shop" {
				return true
			}
		}
		return false
	})
	if err := api.Delete(t.Context(), site); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the Site to be gone", func() bool {
		return apierrors.IsNotFound(api.Get(t.Context(), client.ObjectKeyFromObject(site), site))
	})
	if err := o.stop(); err != nil {
		t.Errorf("the operator ended with: %v", err)
	}
}

// TestCertManagerMakesWhatThePodsMount compares the names in config/certmanager with those of
// config/default.
func TestCertManagerMakesWhatThePodsMount(t *testing.T) {
	var certificate, mounted string
	var injected []string
	for _, object := range built(t, "certmanager") {
		switch {
		case object.GetKind() == "Certificate":
			certificate = object.GetNamespace() + "/" + object.GetName()
			secret, _, _ := unstructured.NestedString(object.Object, "spec", "secretName")
			if mounted == "" || secret != mounted {
				t.Errorf("cert-manager makes Secret %q, and the Pods mount %q", secret, mounted)
			}
		case object.GetKind() == "Deployment":
			volumes, _, err := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "volumes")
			if err != nil || len(volumes) != 1 {
				t.Fatalf("the Pods have the volumes %v (error %v)", volumes, err)
			}
			mounted, _, _ = unstructured.NestedString(volumes[0].(map[string]any), "secret", "secretName")
		case manifests.HasWebhooks(object):
			injected = append(injected, object.GetAnnotations()["cert-manager.io/inject-ca-from"])
		}
	}
	if want := []string{certificate, certificate}; certificate == "" || !slices.Equal(injected, want) {
		t.Errorf("the webhooks trust %q, want %q", injected, want)
	}
}
