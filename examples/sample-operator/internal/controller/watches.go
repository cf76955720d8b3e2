package controller

import (
	"context"
	"fmt"
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
	for _, i := range []struct {
		object client.Object
		field  string
		values client.IndexerFunc
	}{
		{&webv1alpha1.Site{}, bySecret, secretsOf},
		{&webv1alpha1.Site{}, byHostname, hostnameOf},
		{&corev1.ConfigMap{}, byHolder, r.holderOf},
	} {
		if err := indexer.IndexField(ctx, i.object, i.field, i.values); err != nil {
			return fmt.Errorf("index %T by %s: %w", i.object, i.field, err)
		}
	}
	return nil
}

func secretsOf(obj client.Object) []string {
	site, ok := obj.(*webv1alpha1.Site)
	if !ok {
		return nil
	}
	return site.Spec.Secrets
}

func hostnameOf(obj client.Object) []string {
	site, ok := obj.(*webv1alpha1.Site)
	if !ok || site.Spec.Hostname == "" {
		return nil
	}
	return []string{site.Spec.Hostname}
}

func (r *SiteReconciler) holderOf(obj client.Object) []string {
	if _, ok := r.claimed(obj); !ok {
		return nil
	}
	holder, ok := holder(obj)
	if !ok {
		return nil
	}
	return []string{holder.String()}
}

// usersOfSecret leads from a Secret to the Sites that name it.
func (r *SiteReconciler) usersOfSecret(ctx context.Context, secret client.Object) []ctrl.Request {
	return r.sitesWith(ctx, client.InNamespace(secret.GetNamespace()), client.MatchingFields{bySecret: secret.GetName()})
}

// concernedByClaim leads from a claim to the Site that holds it, and to the Sites that want
// the hostname. If the claim is gone, the first has to make it again, or the others may claim
// the hostname.
func (r *SiteReconciler) concernedByClaim(ctx context.Context, obj client.Object) []ctrl.Request {
	hostname, ok := r.claimed(obj)
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
		if err := r.Get(ctx, key, &webv1alpha1.Site{}, stale); err != nil {
			return nil // there is no such Site; a new one is reconciled anyway
		}
		return []ctrl.Request{{NamespacedName: key}}
	}
}

// stale reads the cache as it is: a function that maps an event must not wait for other
// events.
var stale client.GetOption = &client.GetOptions{DisableReadYourWritesConsistency: true}

func (r *SiteReconciler) sitesWith(ctx context.Context, which ...client.ListOption) []ctrl.Request {
	var sites webv1alpha1.SiteList
	which = append(which, &client.ListOptions{DisableReadYourWritesConsistency: true}) // as above
	if err := r.List(ctx, &sites, which...); err != nil {
		// The only possible reason is a field that is not indexed, and index has indexed all of
		// them.
		ctrl.LoggerFrom(ctx).Error(err, "Can't find the Sites that an event is about")
		return nil
	}
	var requests []ctrl.Request
	for i := range sites.Items {
		requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&sites.Items[i])})
	}
	return requests
}

func controlledBySite(obj metav1.Object) bool {
	owner := metav1.GetControllerOf(obj)
	if owner == nil || owner.Kind != "Site" {
		return false
	}
	group, _, _ := strings.Cut(owner.APIVersion, "/")
	return group == webv1alpha1.GroupVersion.Group
}
