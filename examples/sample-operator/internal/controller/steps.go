package controller

import (
	"context"
	"errors"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// do does the steps that the changes ask for. If a step fails, the others still run, because
// no step needs the result of another. The status is not a step: it is always worked out,
// which takes no requests unless it has changed.
func (w *work) do(ctx context.Context) error {
	own := delta.Key{Namespace: w.site.Namespace, Name: w.site.Name}
	files := delta.Key{Namespace: w.site.Namespace, Name: w.site.Name + filesSuffix}
	claims := delta.Key{Namespace: w.Namespace}
	// At a resync everything is compared with what exists, and each child has the UID of its
	// owner in it.
	plan := delta.Plan(ctx).OnCause(delta.Timer).On(&webv1alpha1.Site{}, "metadata.uid")
	hostname := plan.On(&webv1alpha1.Site{}, "spec.hostname").OnNamed(&corev1.ConfigMap{}, claims)
	// The step looks at the finalizer and does not depend on it. The event of our own write is
	// held back, so with a dependency the next change of the Site would ask for the step once
	// more.
	if controllerutil.ContainsFinalizer(w.site, Finalizer) != (w.site.Spec.Hostname != "") {
		hostname = delta.Plan(ctx) // which depends on nothing, so the step runs
	}
	return errors.Join(
		hostname.Do("hostname", w.hostname),
		// The files come before the Deployment, whose Pods mount them.
		plan.On(&webv1alpha1.Site{}, "spec.files").OnNamed(&corev1.ConfigMap{}, files).Do("files", w.files),
		plan.OnNamed(&corev1.Service{}, own, "metadata", "spec").Do("service", w.service),
		plan.On(&webv1alpha1.Site{}, "spec.files", "spec.image", "spec.replicas", "spec.port", "spec.secrets").
			OnNamed(&appsv1.Deployment{}, own, "metadata", "spec").
			On(&corev1.Secret{}, "data").
			Do("deployment", w.deployment),
	)
}

// namesOf are the names of the steps that were not skipped, for the log.
func namesOf(reports []delta.StepReport) []string {
	var names []string
	for _, step := range reports {
		if !step.Skipped {
			names = append(names, step.Name)
		}
	}
	return names
}
