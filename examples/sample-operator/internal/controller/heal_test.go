package controller

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
)

// TestAResyncHealsWhatSkippedStepsLeave has a write lost that was said to have succeeded. No change asks for the step again, so
// the next call skips it. A resync looks at everything, and mends the Deployment.
func TestAResyncHealsWhatSkippedStepsLeave(t *testing.T) {
	o := newOperator(t)
	o.newSite("shop", webv1alpha1.SiteSpec{Image: "web:1", Replicas: new(int32(1)), Port: 8000})
	o.settled("shop")
	o.swallows("/deployments/shop")
	change(o, "shop", &webv1alpha1.Site{}, func(s *webv1alpha1.Site) { s.Spec.Image = "web:2" })
	o.reconciled("shop", "Site", "Updated")
	o.swallows("")
	change(o, "shop", &corev1.Service{}, func(s *corev1.Service) { s.Spec.Ports[0].Port = 81 })
	if done := o.reconciled("shop", "Owned Service"); strings.Contains(done.Steps, "deployment") {
		t.Errorf("the steps %s ran, and not without the one of the Deployment", done.Steps)
	}
	image := func() string {
		var d appsv1.Deployment
		o.get("shop", &d)
		return d.Spec.Template.Spec.Containers[0].Image
	}
	if now := image(); now != "web:1" {
		t.Fatalf("the Deployment has %s: nothing was left wrong", now)
	}
	ours, err := cache.Unwrap(o.cache)
	if err == nil {
		err = ours.Resync(t.Context(), &webv1alpha1.Site{}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the Deployment to be healed", func() bool { return image() == "web:2" })
}
