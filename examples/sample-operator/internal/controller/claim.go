package controller

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
)

// A claim is a ConfigMap in the operator's namespace with a hostname in its name. It exists
// while a Site holds the hostname. No two objects can have the same name, so only one Site
// can create the claim, and that Site holds the hostname.
const (
	claimPrefix = "hostname-"

	// These name the holder. The labels are for requests to the server. The data decides,
	// because it can't be changed.
	dataNamespace = "namespace"
	dataName      = "name"
	claimLabel    = "web.example.com/claim"

	// Finalizer keeps a Site until its hostname has been given back.
	Finalizer = "web.example.com/hostname"
)

// claimLabels are the labels of claims that a Site holds.
func claimLabels(site types.NamespacedName) map[string]string {
	return map[string]string{claimLabel: "hostname", "web.example.com/site-namespace": site.Namespace, "web.example.com/site-name": site.Name}
}

// claimedIn returns the hostname that an object claims. Only the name of the object counts:
// with this name it blocks other claims, whatever its content is.
func claimedIn(namespace string, obj client.Object) (hostname string, ok bool) {
	if _, isConfigMap := obj.(*corev1.ConfigMap); !isConfigMap || obj.GetNamespace() != namespace {
		return "", false
	}
	return strings.CutPrefix(obj.GetName(), claimPrefix)
}

// holder returns which Site a claim is for.
func holder(obj client.Object) (types.NamespacedName, bool) {
	claim, ok := obj.(*corev1.ConfigMap)
	if !ok || claim.Labels[claimLabel] != "hostname" || claim.Data[dataNamespace] == "" || claim.Data[dataName] == "" {
		return types.NamespacedName{}, false
	}
	return types.NamespacedName{Namespace: claim.Data[dataNamespace], Name: claim.Data[dataName]}, true
}

// hostname gives back the hostnames that the spec does not ask for any more, and then claims
// the one that it asks for. In the other order two Sites that exchange their hostnames would
// wait for each other.
func (w *work) hostname(ctx context.Context) error {
	key, want := client.ObjectKeyFromObject(w.site), w.site.Spec.Hostname
	var claims corev1.ConfigMapList
	if err := w.List(ctx, &claims, client.InNamespace(w.Namespace), client.MatchingFields{byHolder: key.String()}); err != nil {
		return fmt.Errorf("list what Site %s has claimed: %w", key, err)
	}
	held := false
	for i := range claims.Items {
		if claims.Items[i].Name == claimPrefix+want {
			held = true
		} else if err := w.release(ctx, w.site, &claims.Items[i]); err != nil {
			return err
		}
	}
	switch {
	case want == "":
		return w.finalize(ctx, w.site)
	case held:
		return w.setFinalizer(ctx, w.site, controllerutil.AddFinalizer)
	}
	return w.claim(ctx)
}

// claim creates the claim. It sets the finalizer first: otherwise a Site that is deleted in
// between would leave its claim behind.
func (w *work) claim(ctx context.Context) error {
	rightful, err := w.rightful(ctx)
	if err != nil || !rightful {
		return err
	}
	if err := w.setFinalizer(ctx, w.site, controllerutil.AddFinalizer); err != nil {
		return err
	}
	site := client.ObjectKeyFromObject(w.site)
	claim := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: claimPrefix + w.site.Spec.Hostname, Labels: claimLabels(site)},
		Immutable:  new(true),
		Data:       map[string]string{dataNamespace: site.Namespace, dataName: site.Name},
	}
	claim.Labels[managedByLabel] = FieldManager
	err = w.Create(ctx, claim, client.FieldOwner(FieldManager))
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("claim hostname %s for Site %s: %w", w.site.Spec.Hostname, site, err)
	}
	return nil // a claim that exists is another Site's, and its event calls the reconciler again
}

// rightful reports whether the Site may claim its hostname now. It may not if another Site
// holds it. It may not either if another Site had it and somebody deleted that Site's claim:
// the other Site is about to make its claim again. If both Sites had it, both try.
func (w *work) rightful(ctx context.Context) (bool, error) {
	_, taken, err := w.holderOfHostname(ctx)
	if err != nil || taken || w.site.Status.Hostname == w.site.Spec.Hostname {
		return !taken, err
	}
	var rivals webv1alpha1.SiteList
	if err := w.List(ctx, &rivals, client.MatchingFields{byHostname: w.site.Spec.Hostname}); err != nil {
		return false, fmt.Errorf("list who wants hostname %s: %w", w.site.Spec.Hostname, err)
	}
	return !slices.ContainsFunc(rivals.Items, func(rival webv1alpha1.Site) bool {
		return rival.UID != w.site.UID && rival.Status.Hostname == w.site.Spec.Hostname && rival.DeletionTimestamp.IsZero()
	}), nil
}

// holderOfHostname returns who holds the hostname that the Site wants. A ConfigMap of this
// name that is not a claim has no holder, and still takes the hostname.
func (w *work) holderOfHostname(ctx context.Context) (by types.NamespacedName, taken bool, err error) {
	var claim corev1.ConfigMap
	err = w.Get(ctx, client.ObjectKey{Namespace: w.Namespace, Name: claimPrefix + w.site.Spec.Hostname}, &claim)
	if client.IgnoreNotFound(err) != nil {
		return by, false, fmt.Errorf("read who holds hostname %s: %w", w.site.Spec.Hostname, err)
	}
	by, _ = holder(&claim)
	return by, err == nil, nil
}

// release deletes this claim, and not another one that may have replaced it. An Event of the
// Site says so, if there is still a Site.
func (r *SiteReconciler) release(ctx context.Context, site *webv1alpha1.Site, claim *corev1.ConfigMap) error {
	err := r.Delete(ctx, claim, client.Preconditions{UID: &claim.UID})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("give back %s: %w", client.ObjectKeyFromObject(claim), err)
	}
	if site != nil {
		r.Events.Eventf(site, corev1.EventTypeNormal, "HostnameReleased", "Gave back %s", strings.TrimPrefix(claim.Name, claimPrefix))
	}
	return nil
}

// setFinalizer writes only over the version that was read. So it can't undo what somebody
// else does to the other finalizers.
func (r *SiteReconciler) setFinalizer(ctx context.Context, site *webv1alpha1.Site, set func(client.Object, string) bool) error {
	before := site.DeepCopy()
	if !set(site, Finalizer) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Patch(ctx, site, patch, client.FieldOwner(FieldManager)); err != nil {
		return fmt.Errorf("set the finalizers of Site %s to %q: %w", client.ObjectKeyFromObject(site), site.Finalizers, err)
	}
	return nil
}

// finalize gives back all that a Site has claimed, and then lets the Site be deleted. It asks
// the server and not the cache, because nobody looks for claims of this Site later.
func (r *SiteReconciler) finalize(ctx context.Context, site *webv1alpha1.Site) error {
	if !controllerutil.ContainsFinalizer(site, Finalizer) {
		return nil
	}
	if err := r.releaseAll(ctx, client.ObjectKeyFromObject(site), site); err != nil {
		return err
	}
	return client.IgnoreNotFound(r.setFinalizer(ctx, site, controllerutil.RemoveFinalizer))
}

// forget gives back the claims of a Site that was deleted without finalize: somebody has
// removed its finalizer, maybe while no operator was running.
func (r *SiteReconciler) forget(ctx context.Context, site types.NamespacedName) error {
	var claims corev1.ConfigMapList
	err := r.List(ctx, &claims, client.InNamespace(r.Namespace), client.MatchingFields{byHolder: site.String()}, client.Limit(1))
	if err != nil || len(claims.Items) == 0 {
		return err
	}
	// The claim may be of a Site that is too new to be in the cache. Then its event comes later.
	if err := r.Live.Get(ctx, site, &webv1alpha1.Site{}); !apierrors.IsNotFound(err) {
		return err
	}
	return r.releaseAll(ctx, site, nil)
}

func (r *SiteReconciler) releaseAll(ctx context.Context, key types.NamespacedName, site *webv1alpha1.Site) error {
	var claims corev1.ConfigMapList
	if err := r.Live.List(ctx, &claims, client.InNamespace(r.Namespace), client.MatchingLabels(claimLabels(key))); err != nil {
		return fmt.Errorf("ask the server what Site %s has claimed: %w", key, err)
	}
	for i := range claims.Items {
		if by, ok := holder(&claims.Items[i]); ok && by == key {
			if err := r.release(ctx, site, &claims.Items[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
