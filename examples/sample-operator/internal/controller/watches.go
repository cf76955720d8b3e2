package controller

import (
	"context"
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
)

// These are the indexes of the cache.
const (
	bySecret   = "spec.secrets"
	byHostname = "spec.hostname"
	byHolder   = "data.holder"
)

func (r *SiteReconciler) index(ctx context.Context, indexer client.FieldIndexer) error {
	return errors.Join(
		indexer.IndexField(ctx, &webv1alpha1.Site{}, bySecret, func(site client.Object) []string { return site.(*webv1alpha1.Site).Spec.Secrets }),
		indexer.IndexField(ctx, &webv1alpha1.Site{}, byHostname, func(site client.Object) []string { return []string{site.(*webv1alpha1.Site).Spec.Hostname} }),
		indexer.IndexField(ctx, &corev1.ConfigMap{}, byHolder, r.holderOf),
	)
}

func (r *SiteReconciler) holderOf(obj client.Object) []string {
	_, isClaim := claimedIn(r.Namespace, obj)
	if holder, ok := holder(obj); ok && isClaim {
		return []string{holder.String()}
	}
	return nil
}

// usersOfSecret leads from a Secret to the Sites that name it.
func (r *SiteReconciler) usersOfSecret(ctx context.Context, secret client.Object) []ctrl.Request {
	return r.sitesWith(ctx, client.InNamespace(secret.GetNamespace()), client.MatchingFields{bySecret: secret.GetName()})
}

// concernedByClaim leads from a claim to the Site that holds it, and to the Sites that want
// the hostname. If the claim is gone, the first has to make it again, or the others may claim
// the hostname.
func (r *SiteReconciler) concernedByClaim(ctx context.Context, obj client.Object) []ctrl.Request {
	hostname, ok := claimedIn(r.Namespace, obj)
	if !ok {
		return nil
	}
	requests := r.sitesWith(ctx, client.MatchingFields{byHostname: hostname})
	if holder, ok := holder(obj); ok {
		requests = append(requests, ctrl.Request{NamespacedName: holder})
	}
	return requests
}

// sameName leads from an object that no Site controls to the Site that would have a child of
// this name. The object may have blocked that child, and may be gone now.
func (r *SiteReconciler) sameName(suffix string) handler.MapFunc {
	return func(ctx context.Context, obj client.Object) []ctrl.Request {
		name, ok := strings.CutSuffix(obj.GetName(), suffix)
		if !ok || controlledBySite(obj) {
			return nil
		}
		key := types.NamespacedName{Namespace: obj.GetNamespace(), Name: name}
		if err := r.Get(ctx, key, &webv1alpha1.Site{}, client.DisableReadYourWritesConsistency); err != nil {
			return nil // there is no such Site; a new one is reconciled anyway
		}
		return []ctrl.Request{{NamespacedName: key}}
	}
}

// sitesWith reads the cache as it is: a function that maps an event must not wait for other
// events.
func (r *SiteReconciler) sitesWith(ctx context.Context, which ...client.ListOption) (requests []ctrl.Request) {
	var sites webv1alpha1.SiteList
	if err := r.List(ctx, &sites, append(which, client.DisableReadYourWritesConsistency)...); err != nil {
		// The only possible reason is a field that is not indexed, and index has indexed them all.
		ctrl.LoggerFrom(ctx).Error(err, "Can't find the Sites that an event is about")
	}
	for i := range sites.Items {
		requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&sites.Items[i])})
	}
	return requests
}

func controlledBySite(obj metav1.Object) bool {
	owner := metav1.GetControllerOf(obj)
	return owner != nil && owner.Kind == "Site" && strings.HasPrefix(owner.APIVersion, webv1alpha1.GroupVersion.Group+"/")
}
