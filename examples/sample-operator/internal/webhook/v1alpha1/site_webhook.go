// Package v1alpha1 has the webhooks for Sites. They do the checks that a schema can't. They
// look only at the object, so their answer depends on no cache, and they have no state. The
// tests are tables; in those of the operator a real API server calls the webhooks.
package v1alpha1

import (
	"cmp"
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
)

// SetupSiteWebhookWithManager makes the manager's webhook server serve both.
func SetupSiteWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &webv1alpha1.Site{}).
		WithDefaulter(&SiteDefaulter{}).
		WithValidator(&SiteValidator{}).
		Complete()
}

// +kubebuilder:webhook:path=/mutate-web-example-com-v1alpha1-site,mutating=true,failurePolicy=fail,sideEffects=None,groups=web.example.com,resources=sites,verbs=create;update,versions=v1alpha1,name=msite-v1alpha1.kb.io,admissionReviewVersions=v1

// SiteDefaulter sets the fields that a Site leaves empty.
type SiteDefaulter struct{}

// Default sets the image. If a default in the schema changes, every Site changes. With this
// one, each Site keeps the image that it was created with.
func (d *SiteDefaulter) Default(_ context.Context, site *webv1alpha1.Site) error {
	site.Spec.Image = cmp.Or(site.Spec.Image, webv1alpha1.DefaultImage)
	site.Spec.Replicas = cmp.Or(site.Spec.Replicas, new(int32(1)))
	site.Spec.Port = cmp.Or(site.Spec.Port, webv1alpha1.DefaultPort)
	return nil
}

// +kubebuilder:webhook:path=/validate-web-example-com-v1alpha1-site,mutating=false,failurePolicy=fail,sideEffects=None,groups=web.example.com,resources=sites,verbs=create;update,versions=v1alpha1,name=vsite-v1alpha1.kb.io,admissionReviewVersions=v1

// SiteValidator refuses Sites that could never work.
type SiteValidator struct{}

// ValidateCreate checks the whole Site.
func (v *SiteValidator) ValidateCreate(_ context.Context, site *webv1alpha1.Site) (admission.Warnings, error) {
	return nil, judge(site)
}

// ValidateUpdate checks only what changes: a spec that was allowed once must not stop later
// writes of finalizers and labels.
func (v *SiteValidator) ValidateUpdate(_ context.Context, before, after *webv1alpha1.Site) (admission.Warnings, error) {
	if equality.Semantic.DeepEqual(before.Spec, after.Spec) || !after.DeletionTimestamp.IsZero() {
		return nil, nil
	}
	return nil, judge(after)
}

// ValidateDelete is not called.
func (v *SiteValidator) ValidateDelete(context.Context, *webv1alpha1.Site) (admission.Warnings, error) {
	return nil, nil
}

// fits is how large all files together may be: a ConfigMap's megabyte, minus room for
// metadata. The files have to fit into the Site as well, which has metadata of its own.
const fits = 1<<20 - 32<<10

func judge(site *webv1alpha1.Site) error {
	var wrong field.ErrorList
	files, size := field.NewPath("spec", "files"), 0
	for name, content := range site.Spec.Files {
		size += len(name) + len(content)
		for _, why := range validation.IsConfigMapKey(name) {
			wrong = append(wrong, field.Invalid(files.Key(name), name, why))
		}
	}
	if size > fits {
		wrong = append(wrong, field.TooLong(files, "", fits))
	}
	if len(wrong) == 0 {
		return nil
	}
	return apierrors.NewInvalid(webv1alpha1.GroupVersion.WithKind("Site").GroupKind(), site.Name, wrong)
}
