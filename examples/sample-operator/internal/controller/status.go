package controller

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
)

// Reasons of conditions. Some of them are reasons of Events, too.
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

// aFewAttempts may fail before the status says so: most failures have ended by then.
const aFewAttempts = 3

// report writes the status of the Site, and records Events about what was written and about
// nothing else. failure is the error that do returned.
func (w *work) report(ctx context.Context, failure error) error {
	w.tellOfChildren()
	before := w.site.DeepCopy()
	if len(w.wrote) > 0 {
		w.site.Status.LastChange = &webv1alpha1.LastChange{Time: metav1.Now(), Because: because(w.changes), Wrote: w.wrote}
	}
	if failure == nil || w.changes.Attempt() >= aFewAttempts {
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

// observe works out the status from the cache.
func (w *work) observe(ctx context.Context, failure error) error {
	pods, taken, err := w.lookAtChildren(ctx)
	if err != nil {
		return err
	}
	found, err := w.readSecrets(ctx)
	if err != nil {
		return err
	}
	w.setCondition(secretsFound(w.site, found))
	if err := w.observeHostname(ctx); err != nil {
		return err
	}
	w.site.Status.ReadyReplicas = pods.ready
	if failure == nil {
		w.site.Status.ObservedGeneration = w.site.Generation
	}
	w.setCondition(w.ready(pods, taken, failure))
	return nil
}

func (w *work) setCondition(condition metav1.Condition) {
	condition.ObservedGeneration = w.site.Generation
	apimeta.SetStatusCondition(&w.site.Status.Conditions, condition)
}

// pods is what a Deployment says about its Pods.
type pods struct {
	ready   int32
	settled bool // the Deployment has done what its spec asks for
}

// lookAtChildren returns the state of the Pods, and which children belong to somebody else.
func (w *work) lookAtChildren(ctx context.Context) (p pods, taken []string, err error) {
	var deployment appsv1.Deployment
	for _, c := range []struct {
		kind, name string
		object     client.Object
	}{
		{"Deployment", w.site.Name, &deployment},
		{"Service", w.site.Name, &corev1.Service{}},
		{"ConfigMap", w.site.Name + filesSuffix, &corev1.ConfigMap{}},
	} {
		key := client.ObjectKey{Namespace: w.site.Namespace, Name: c.name}
		switch err := w.Get(ctx, key, c.object); {
		case apierrors.IsNotFound(err):
		case err != nil:
			return p, nil, fmt.Errorf("read %s %s: %w", c.kind, key, err)
		case !metav1.IsControlledBy(c.object, w.site):
			taken = append(taken, c.kind+"/"+c.name)
		case c.kind == "Deployment":
			p = podsOf(&deployment)
		}
	}
	return p, taken, nil
}

func podsOf(d *appsv1.Deployment) pods {
	wanted := int32(1)
	if d.Spec.Replicas != nil {
		wanted = *d.Spec.Replicas
	}
	status := d.Status
	return pods{
		ready:   status.ReadyReplicas,
		settled: status.ObservedGeneration >= d.Generation && status.UpdatedReplicas == wanted && status.Replicas == wanted && status.ReadyReplicas == wanted,
	}
}

func secretsFound(site *webv1alpha1.Site, found secrets) metav1.Condition {
	c := metav1.Condition{Type: webv1alpha1.ConditionSecretsFound, Status: metav1.ConditionTrue}
	switch {
	case len(site.Spec.Secrets) == 0:
		c.Reason, c.Message = reasonNoneNamed, "No Secrets are asked for"
	case len(found.missing) == 0:
		c.Reason, c.Message = reasonFound, "All Secrets exist"
	default:
		c.Status, c.Reason = metav1.ConditionFalse, reasonSecretMissing
		c.Message = "The Pods stay as they are while there is no Secret " + strings.Join(found.missing, ", ")
	}
	return c
}

// observeHostname says which hostname the Site holds. A Site that wants no hostname has no
// condition about it.
func (w *work) observeHostname(ctx context.Context) error {
	had, want := w.site.Status.Hostname, w.site.Spec.Hostname
	w.site.Status.Hostname = ""
	if want == "" {
		apimeta.RemoveStatusCondition(&w.site.Status.Conditions, webv1alpha1.ConditionHostnameHeld)
		return nil
	}
	by, taken, err := w.holderOfHostname(ctx)
	if err != nil {
		return err
	}
	c := metav1.Condition{Type: webv1alpha1.ConditionHostnameHeld, Status: metav1.ConditionFalse}
	switch {
	case taken && by == client.ObjectKeyFromObject(w.site):
		w.site.Status.Hostname = want
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, reasonHeld, want+" is held"
	case !taken:
		if had == want {
			w.site.Status.Hostname = had // so that no other Site claims it first: see rightful
		}
		c.Reason, c.Message = reasonClaiming, want+" is not held yet"
	case by.Name == "":
		c.Reason, c.Message = reasonHostnameTaken, want+" is kept from everybody by ConfigMap "+claimPrefix+want
	default:
		c.Reason, c.Message = reasonHostnameTaken, want+" is held by Site "+by.String()
	}
	w.setCondition(c)
	return nil
}

// ready sums up the other conditions. Of several reasons why the Site is not ready, it names
// first those that somebody has to do something about.
func (w *work) ready(pods pods, taken []string, failure error) metav1.Condition {
	c := metav1.Condition{Type: webv1alpha1.ConditionReady, Status: metav1.ConditionFalse}
	if failure != nil {
		c.Reason, c.Message = reasonFailing, cut(failure.Error(), tellable)
		return c
	}
	if len(taken) > 0 {
		c.Reason = reasonNameTaken
		c.Message = strings.Join(taken, ", ") + " exists already, and does not belong to this Site"
		return c
	}
	for _, prerequisite := range []string{webv1alpha1.ConditionSecretsFound, webv1alpha1.ConditionHostnameHeld} {
		if p := apimeta.FindStatusCondition(w.site.Status.Conditions, prerequisite); p != nil && p.Status != metav1.ConditionTrue {
			c.Reason, c.Message = p.Reason, p.Message
			return c
		}
	}
	c.Message = fmt.Sprintf("%d of %d Pods are ready", pods.ready, replicasOf(w.site))
	if pods.settled {
		c.Status, c.Reason = metav1.ConditionTrue, reasonReady
	} else {
		c.Reason = reasonProgressing
	}
	return c
}

// tellOfTrouble records an Event for each problem that the conditions did not name before.
func (w *work) tellOfTrouble(before []metav1.Condition) {
	for _, condition := range w.site.Status.Conditions {
		was := apimeta.FindStatusCondition(before, condition.Type)
		if was != nil && was.Reason == condition.Reason && was.Message == condition.Message {
			continue
		}
		switch {
		case condition.Type == webv1alpha1.ConditionSecretsFound && condition.Reason == reasonSecretMissing,
			condition.Type == webv1alpha1.ConditionHostnameHeld && condition.Reason == reasonHostnameTaken,
			condition.Type == webv1alpha1.ConditionReady && condition.Reason == reasonNameTaken:
			w.tell(corev1.EventTypeWarning, condition.Reason, "%s", condition.Message)
		}
	}
}
