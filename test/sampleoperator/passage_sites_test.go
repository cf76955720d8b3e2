package sampleoperator

import (
	"context"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
)

const hostname = "www.example.com"

func siteOf(name string) *v1alpha1.Site {
	return &v1alpha1.Site{
		ObjectMeta: metav1.ObjectMeta{Namespace: land, Name: name},
		Spec:       v1alpha1.SiteSpec{Files: map[string]string{"index.html": name}, Hostname: hostname},
	}
}

func settings() *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: land, Name: "settings"},
		StringData: map[string]string{"TOKEN": "x"},
	}
}

// createFirst creates a Site that names a Secret, and then the Secret.
func (p *passage) createFirst(ctx context.Context) error {
	first := siteOf("first")
	first.Spec.Secrets = []string{"settings"}
	for _, obj := range []client.Object{first, settings()} {
		if err := client.IgnoreAlreadyExists(p.api.Create(ctx, obj)); err != nil {
			return err
		}
	}
	return nil
}

func (p *passage) createSecond(ctx context.Context) error { return p.api.Create(ctx, siteOf("second")) }

func (p *passage) childrenAreThere(ctx context.Context) error {
	for _, name := range []string{"first", "second"} {
		meta := metav1.ObjectMeta{Namespace: land, Name: name}
		files := *meta.DeepCopy()
		files.Name += "-files"
		for _, child := range []client.Object{&appsv1.Deployment{ObjectMeta: meta}, &corev1.Service{ObjectMeta: meta}, &corev1.ConfigMap{ObjectMeta: files}} {
			if err := p.api.Get(ctx, client.ObjectKeyFromObject(child), child); err != nil {
				return err
			}
			if child.GetDeletionTimestamp() != nil {
				return fmt.Errorf("%T %s is being deleted", child, child.GetName())
			}
		}
	}
	return p.holds(ctx, "first")
}

// holds returns an error unless a Site has the hostname, and its status and an Event say so.
func (p *passage) holds(ctx context.Context, name string) error {
	site := siteOf(name)
	var claim corev1.ConfigMap
	if err := p.api.Get(ctx, client.ObjectKeyFromObject(site), site); err != nil {
		return err
	}
	if err := p.api.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "hostname-" + hostname}, &claim); err != nil {
		return err
	}
	if claim.Data["name"] != name || site.Status.Hostname != hostname || site.Status.ObservedGeneration != site.Generation {
		return fmt.Errorf("the hostname is %s's, and the status of %s is %+v", claim.Data["name"], name, site.Status)
	}
	return p.hasEvent(ctx, name)
}

// hasEvent returns an error unless there is an Event about the Site.
func (p *passage) hasEvent(ctx context.Context, name string) error {
	var events corev1.EventList
	if err := p.api.List(ctx, &events, client.InNamespace(land)); err != nil {
		return err
	}
	for i := range events.Items {
		if events.Items[i].InvolvedObject.Name == name {
			return nil
		}
	}
	return fmt.Errorf("there is no Event of %s", name)
}

// hasRepeated returns an error unless the operator has counted an Event for the second time,
// which takes a patch. It deletes one child at each call. An Event says what led to it, and
// that differs if the operator hears of two changes at once; so once more may not be enough.
func (p *passage) hasRepeated(ctx context.Context) error {
	var events corev1.EventList
	if err := p.api.List(ctx, &events, client.InNamespace(land)); err != nil {
		return err
	}
	if slices.ContainsFunc(events.Items, func(e corev1.Event) bool { return e.Count > 1 }) {
		return p.childrenAreThere(ctx)
	}
	files := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: land, Name: "first-files"}}
	if err := client.IgnoreNotFound(p.api.Delete(ctx, files)); err != nil {
		return err
	}
	return errors.New("no Event was counted twice")
}

func (p *passage) secondWaits(ctx context.Context) error {
	second := siteOf("second")
	if err := p.api.Get(ctx, client.ObjectKeyFromObject(second), second); err != nil {
		return err
	}
	if !meta.IsStatusConditionFalse(second.Status.Conditions, v1alpha1.ConditionHostnameHeld) {
		return fmt.Errorf("it does not say that it waits: %v", second.Status.Conditions)
	}
	return nil
}

func (p *passage) deleteChildren(ctx context.Context) error {
	meta := metav1.ObjectMeta{Namespace: land, Name: "first"}
	files := *meta.DeepCopy()
	files.Name += "-files"
	claim := metav1.ObjectMeta{Namespace: namespace, Name: "hostname-" + hostname}
	for _, child := range []client.Object{
		&appsv1.Deployment{ObjectMeta: meta}, &corev1.Service{ObjectMeta: meta},
		&corev1.ConfigMap{ObjectMeta: files}, &corev1.ConfigMap{ObjectMeta: claim},
	} {
		if err := client.IgnoreNotFound(p.api.Delete(ctx, child)); err != nil {
			return err
		}
	}
	return nil
}

func (p *passage) edit(ctx context.Context) error {
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"replicas":3,"image":"example.com/other"}}`))
	return p.api.Patch(ctx, siteOf("first"), patch)
}

func (p *passage) isEdited(ctx context.Context) error {
	var d appsv1.Deployment
	if err := p.api.Get(ctx, client.ObjectKey{Namespace: land, Name: "first"}, &d); err != nil {
		return err
	}
	if *d.Spec.Replicas != 3 || d.Spec.Template.Spec.Containers[0].Image != "example.com/other" {
		return fmt.Errorf("the Deployment has %d replicas of %s", *d.Spec.Replicas, d.Spec.Template.Spec.Containers[0].Image)
	}
	return p.holds(ctx, "first")
}

// namesRival has somebody scale the Deployment of the first Site whenever the operator has undone that, until the guard says so with an Event.
func (p *passage) namesRival(ctx context.Context) error {
	var events eventsv1.EventList
	deployment := &appsv1.Deployment{}
	if err := errors.Join(p.api.List(ctx, &events, client.InNamespace(land)), p.api.Get(ctx, client.ObjectKey{Namespace: land, Name: "first"}, deployment)); err != nil {
		return err
	}
	if slices.ContainsFunc(events.Items, func(e eventsv1.Event) bool { return e.Reason == "HotLoop" }) {
		return nil
	}
	const many = 7
	if *deployment.Spec.Replicas != many {
		scale := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, many))
		if err := p.api.Patch(ctx, deployment, scale, client.FieldOwner("horizontal-pod-autoscaler")); err != nil {
			return err
		}
	}
	return errors.New("the guard has not told of it")
}

func (p *passage) deleteFirst(ctx context.Context) error { return p.api.Delete(ctx, siteOf("first")) }

// secondHolds returns an error unless the Site that waited has the hostname.
func (p *passage) secondHolds(ctx context.Context) error {
	if err := p.api.Get(ctx, client.ObjectKeyFromObject(siteOf("first")), siteOf("first")); !apierrors.IsNotFound(err) {
		return fmt.Errorf("the first Site still exists, or: %w", err)
	}
	return p.holds(ctx, "second")
}

// claimForNobody creates a claim of a Site that does not exist. A Site leaves such a claim
// behind if it loses its finalizer while no operator runs.
func (p *passage) claimForNobody(ctx context.Context) error {
	return p.api.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "hostname-nobody.example.com",
			Labels: map[string]string{
				"web.example.com/claim": "hostname", "web.example.com/site-namespace": land, "web.example.com/site-name": "nobody",
			},
		},
		Data: map[string]string{"namespace": land, "name": "nobody"},
	})
}

func (p *passage) nobodyHolds(ctx context.Context) error {
	err := p.api.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "hostname-nobody.example.com"}, &corev1.ConfigMap{})
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("its claim still exists, or: %w", err)
	}
	return nil
}

func (p *passage) deleteSecond(ctx context.Context) error { return p.api.Delete(ctx, siteOf("second")) }

func (p *passage) nothingIsLeft(ctx context.Context) error {
	var sites v1alpha1.SiteList
	var claims corev1.ConfigMapList
	if err := errors.Join(p.api.List(ctx, &sites), p.api.List(ctx, &claims, client.InNamespace(namespace), claimed)); err != nil {
		return err
	}
	if len(sites.Items)+len(claims.Items) > 0 {
		return fmt.Errorf("there are %d Sites and %d claims", len(sites.Items), len(claims.Items))
	}
	return nil
}
