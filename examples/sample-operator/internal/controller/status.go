package controller

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
)

// Reasons of conditions. Those of problems are reasons of Events, too.
const (
	reasonReady         = "Ready"
	reasonProgressing   = "Progressing"
	reasonFailing       = "Failing"
	reasonNameTaken     = "NameTaken"
	reasonSecretMissing = "SecretMissing"
	reasonFound         = "Found"
	reasonNoneNamed     = "NoneNamed"
	reasonHostnameTaken = "HostnameTaken"
	reasonHeld          = "Held"
	reasonClaiming      = "Claiming"
)

// report writes the status of the Site, and records Events about what was written and about
// nothing else. failure is the error that do returned.
func (w *work) report(ctx context.Context, failure error) error {
	w.tellOfChildren()
	before := w.site.DeepCopy()
	if len(w.wrote) > 0 {
		w.site.Status.LastChange = &webv1alpha1.LastChange{Time: metav1.Now(), Because: because(w.changes), Wrote: w.wrote}
	}
	if failure == nil || w.changes.Attempt() >= 3 { // most failures have ended by then
		if err := w.observe(ctx, failure); err != nil {
			return err
		}
	}
	if equality.Semantic.DeepEqual(before.Status, w.site.Status) {
		return nil
	}
	// The patch names the version that was read. So the server refuses a status that was worked
	// out from an older version, and the event of the patch is known to be ours. If the server
	// refuses because somebody has edited the Site meanwhile, the second patch names no version:
	// the status is still true of the generation that it names.
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	err := w.Status().Patch(ctx, w.site.DeepCopy(), patch, client.FieldOwner(FieldManager))
	if apierrors.IsConflict(err) {
		err = w.Status().Patch(ctx, w.site.DeepCopy(), client.MergeFrom(before), client.FieldOwner(FieldManager))
	}
	switch {
	case apierrors.IsNotFound(err):
		return nil // it has been deleted
	case err != nil:
		return fmt.Errorf("write the status of Site %s: %w", client.ObjectKeyFromObject(w.site), err)
	}
	w.tellOfTrouble(before.Status.Conditions)
	return nil
}

// observe works out the status from the cache. Ready sums up the other conditions. Of several
// reasons why the Site is not ready, it names first those that somebody has to do something
// about.
func (w *work) observe(ctx context.Context, failure error) error {
	deployment, taken, err := w.lookAtChildren(ctx)
	if err != nil {
		return err
	}
	if err := w.observeSecrets(ctx); err != nil {
		return err
	}
	if err := w.observeHostname(ctx); err != nil {
		return err
	}
	w.site.Status.ReadyReplicas = deployment.Status.ReadyReplicas
	if failure == nil {
		w.site.Status.ObservedGeneration = w.site.Generation
	}
	const ready = webv1alpha1.ConditionReady
	progress := fmt.Sprintf("%d of %d Pods are ready", deployment.Status.ReadyReplicas, ptr.Deref(w.site.Spec.Replicas, 1))
	secrets := apimeta.FindStatusCondition(w.site.Status.Conditions, webv1alpha1.ConditionSecretsFound)
	hostname := apimeta.FindStatusCondition(w.site.Status.Conditions, webv1alpha1.ConditionHostnameHeld)
	switch {
	case failure != nil:
		w.set(ready, metav1.ConditionFalse, reasonFailing, cut(failure.Error(), 1000))
	case len(taken) > 0:
		w.set(ready, metav1.ConditionFalse, reasonNameTaken, strings.Join(taken, ", ")+" exists already, and does not belong to this Site")
	case secrets.Status != metav1.ConditionTrue:
		w.set(ready, metav1.ConditionFalse, secrets.Reason, secrets.Message)
	case hostname != nil && hostname.Status != metav1.ConditionTrue:
		w.set(ready, metav1.ConditionFalse, hostname.Reason, hostname.Message)
	case settled(deployment):
		w.set(ready, metav1.ConditionTrue, reasonReady, progress)
	default:
		w.set(ready, metav1.ConditionFalse, reasonProgressing, progress)
	}
	return nil
}

// set sets a condition of the Site.
func (w *work) set(kind string, status metav1.ConditionStatus, reason, message string) {
	apimeta.SetStatusCondition(&w.site.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: w.site.Generation,
	})
}

// settled reports whether a Deployment has done what its spec asks for.
func settled(d *appsv1.Deployment) bool {
	wanted, s := ptr.Deref(d.Spec.Replicas, 1), d.Status
	return s.ObservedGeneration >= d.Generation && s.UpdatedReplicas == wanted && s.Replicas == wanted && s.ReadyReplicas == wanted
}

// lookAtChildren returns the Deployment, which is empty if the Site has none, and which
// children belong to somebody else.
func (w *work) lookAtChildren(ctx context.Context) (deployment *appsv1.Deployment, taken []string, err error) {
	deployment = &appsv1.Deployment{}
	for name, object := range map[string]client.Object{
		"Deployment/" + w.site.Name: deployment, "Service/" + w.site.Name: &corev1.Service{}, "ConfigMap/" + w.site.Name + filesSuffix: &corev1.ConfigMap{},
	} {
		_, key, _ := strings.Cut(name, "/")
		err := w.Get(ctx, client.ObjectKey{Namespace: w.site.Namespace, Name: key}, object)
		switch {
		case client.IgnoreNotFound(err) != nil:
			return nil, nil, fmt.Errorf("read %s of namespace %s: %w", name, w.site.Namespace, err)
		case err == nil && !metav1.IsControlledBy(object, w.site):
			taken = append(taken, name)
		}
	}
	slices.Sort(taken)
	if !metav1.IsControlledBy(deployment, w.site) {
		deployment = &appsv1.Deployment{}
	}
	return deployment, taken, nil
}

func (w *work) observeSecrets(ctx context.Context) error {
	_, missing, err := w.readSecrets(ctx)
	const found = webv1alpha1.ConditionSecretsFound
	switch {
	case err != nil:
		return err
	case len(w.site.Spec.Secrets) == 0:
		w.set(found, metav1.ConditionTrue, reasonNoneNamed, "No Secrets are asked for")
	case len(missing) == 0:
		w.set(found, metav1.ConditionTrue, reasonFound, "All Secrets exist")
	default:
		w.set(found, metav1.ConditionFalse, reasonSecretMissing, "The Pods stay as they are while there is no Secret "+strings.Join(missing, ", "))
	}
	return nil
}

// observeHostname says which hostname the Site holds. A Site that wants no hostname has no
// condition about it.
func (w *work) observeHostname(ctx context.Context) error {
	had, want := w.site.Status.Hostname, w.site.Spec.Hostname
	const held = webv1alpha1.ConditionHostnameHeld
	w.site.Status.Hostname = ""
	if want == "" {
		apimeta.RemoveStatusCondition(&w.site.Status.Conditions, held)
		return nil
	}
	by, taken, err := w.holderOfHostname(ctx)
	switch {
	case err != nil:
		return err
	case taken && by == client.ObjectKeyFromObject(w.site):
		w.site.Status.Hostname = want
		w.set(held, metav1.ConditionTrue, reasonHeld, want+" is held")
	case !taken:
		if had == want {
			w.site.Status.Hostname = had // so that no other Site claims it first: see rightful
		}
		w.set(held, metav1.ConditionFalse, reasonClaiming, want+" is not held yet")
	case by.Name == "":
		w.set(held, metav1.ConditionFalse, reasonHostnameTaken, want+" is kept from everybody by ConfigMap "+claimPrefix+want)
	default:
		w.set(held, metav1.ConditionFalse, reasonHostnameTaken, want+" is held by Site "+by.String())
	}
	return nil
}

// tellOfTrouble records an Event for each problem that the conditions did not name before.
func (w *work) tellOfTrouble(before []metav1.Condition) {
	problems := map[string]string{
		webv1alpha1.ConditionSecretsFound: reasonSecretMissing,
		webv1alpha1.ConditionHostnameHeld: reasonHostnameTaken,
		webv1alpha1.ConditionReady:        reasonNameTaken,
	}
	for _, c := range w.site.Status.Conditions {
		was := apimeta.FindStatusCondition(before, c.Type)
		if c.Reason == problems[c.Type] && (was == nil || was.Reason != c.Reason || was.Message != c.Message) {
			w.Events.Eventf(w.site, corev1.EventTypeWarning, c.Reason, "%s", c.Message)
		}
	}
}
