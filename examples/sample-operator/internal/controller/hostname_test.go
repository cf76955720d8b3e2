package controller

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// claimant returns the name of the Site that has claimed a hostname.
func (o *operator) claimant(hostname string) string {
	var claim corev1.ConfigMap
	err := o.api.Get(o.t.Context(), client.ObjectKey{Namespace: o.namespace, Name: claimPrefix + hostname}, &claim)
	switch {
	case apierrors.IsNotFound(err):
		return ""
	case err != nil:
		o.t.Fatal(err)
	}
	return claim.Data[dataName]
}

func (o *operator) remove(site string) {
	o.t.Helper()
	if err := o.api.Delete(o.t.Context(), &webv1alpha1.Site{ObjectMeta: metav1.ObjectMeta{Namespace: o.sites, Name: site}}); err != nil {
		o.t.Fatal(err)
	}
}

func (o *operator) awaitGone(site string) {
	o.t.Helper()
	await.Until(o.t, site+" to be gone", func() bool {
		return apierrors.IsNotFound(o.api.Get(o.t.Context(), o.key(site), &webv1alpha1.Site{}))
	})
}

// TestAHostnameIsHeldByOne lets three Sites ask for one hostname, one after the other.
func TestAHostnameIsHeldByOne(t *testing.T) {
	o := newOperator(t)
	const name = "fought.example.com"
	o.newSite("first", webv1alpha1.SiteSpec{Hostname: name})
	o.awaitCondition("first", hostnameHeld, reasonHeld)
	o.newSite("second", webv1alpha1.SiteSpec{Hostname: name})
	o.awaitCondition("second", hostnameHeld, reasonHostnameTaken)
	o.awaitCondition("second", ready, reasonHostnameTaken)

	// The test deletes the claim behind the operator's back: the first Site gets it again, and
	// not the second.
	claim := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: claimPrefix + name}}
	if err := o.api.Delete(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the claim to come back", func() bool { return o.claimant(name) == "first" })

	change(o, "first", &webv1alpha1.Site{}, func(s *webv1alpha1.Site) { s.Spec.Hostname = "" })
	o.awaitCondition("second", hostnameHeld, reasonHeld)
	o.awaitCondition("first", hostnameHeld, "")
	await.Until(t, "the first Site to have no finalizer", func() bool {
		var s webv1alpha1.Site
		o.get("first", &s)
		return len(s.Finalizers) == 0 && s.Status.Hostname == ""
	})

	change(o, "first", &webv1alpha1.Site{}, func(s *webv1alpha1.Site) { s.Spec.Hostname = name })
	o.awaitCondition("first", hostnameHeld, reasonHostnameTaken)
	o.remove("second")
	o.awaitCondition("first", hostnameHeld, reasonHeld)
	o.awaitGone("second")
	if by := o.claimant(name); by != "first" {
		t.Errorf("the hostname is held by %q", by)
	}
	o.remove("first")
	o.awaitGone("first")
	if by := o.claimant(name); by != "" {
		t.Errorf("the hostname is held by %q, which is gone", by)
	}
}

// TestSitesExchangeHostnames lets two Sites ask for each other's hostname.
func TestSitesExchangeHostnames(t *testing.T) {
	o := newOperator(t)
	o.newSite("a", webv1alpha1.SiteSpec{Hostname: "a.example.com"})
	o.newSite("b", webv1alpha1.SiteSpec{Hostname: "b.example.com"})
	o.awaitCondition("a", hostnameHeld, reasonHeld)
	o.awaitCondition("b", hostnameHeld, reasonHeld)
	change(o, "a", &webv1alpha1.Site{}, func(s *webv1alpha1.Site) { s.Spec.Hostname = "b.example.com" })
	change(o, "b", &webv1alpha1.Site{}, func(s *webv1alpha1.Site) { s.Spec.Hostname = "a.example.com" })
	await.Until(t, "the two Sites to have exchanged hostnames", func() bool { return o.claimant("a.example.com") == "b" && o.claimant("b.example.com") == "a" })
	for site, hostname := range map[string]string{"a": "b.example.com", "b": "a.example.com"} {
		await.Until(t, site+" to know it", func() bool {
			var s webv1alpha1.Site
			o.get(site, &s)
			return s.Status.Hostname == hostname
		})
	}
}

// TestAHostnameComesBackFromASiteThatWasTornAway removes the finalizer of a Site that is
// being deleted.
func TestAHostnameComesBackFromASiteThatWasTornAway(t *testing.T) {
	o := newOperator(t)
	const name = "torn.example.com"
	o.newSite("first", webv1alpha1.SiteSpec{Hostname: name})
	o.awaitCondition("first", hostnameHeld, reasonHeld)
	o.newSite("second", webv1alpha1.SiteSpec{Hostname: name})
	o.awaitCondition("second", hostnameHeld, reasonHostnameTaken)
	if err := o.stop(); err != nil {
		t.Fatal(err)
	}
	change(o, "first", &webv1alpha1.Site{}, func(s *webv1alpha1.Site) { s.Finalizers = nil })
	o.remove("first")
	o.awaitGone("first")
	o.run(administrator(t))
	o.awaitCondition("second", hostnameHeld, reasonHeld)
}

// TestAHostnameCanBeKeptFromEverybody creates a ConfigMap that has the name of a claim and is
// not one.
func TestAHostnameCanBeKeptFromEverybody(t *testing.T) {
	o := newOperator(t)
	reserved := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: claimPrefix + "reserved.example.com"}}
	if err := o.api.Create(t.Context(), reserved); err != nil {
		t.Fatal(err)
	}
	o.newSite("shop", webv1alpha1.SiteSpec{Hostname: "reserved.example.com"})
	o.awaitCondition("shop", hostnameHeld, reasonHostnameTaken)
	if err := o.api.Delete(t.Context(), reserved); err != nil {
		t.Fatal(err)
	}
	o.awaitCondition("shop", hostnameHeld, reasonHeld)
}
