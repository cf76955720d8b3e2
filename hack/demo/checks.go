package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
)

// check returns an error while the cluster is not in the state that it should be in.
type check = func(context.Context, client.Client) error

// keyOf is the key of the object that "namespace/name" names.
func keyOf(site string) client.ObjectKey {
	namespace, name, _ := strings.Cut(site, "/")
	return client.ObjectKey{Namespace: namespace, Name: name}
}

// both runs one check after the other.
func both(first, second check) check {
	return func(ctx context.Context, c client.Client) error {
		if err := first(ctx, c); err != nil {
			return err
		}
		return second(ctx, c)
	}
}

func allSitesReady(ctx context.Context, c client.Client) error {
	var sites webv1alpha1.SiteList
	if err := c.List(ctx, &sites); err != nil {
		return fmt.Errorf("list the Sites: %w", err)
	}
	if len(sites.Items) == 0 {
		return errors.New("there is no Site")
	}
	for i := range sites.Items {
		if err := is(&sites.Items[i], webv1alpha1.ConditionReady, "Ready"); err != nil {
			return err
		}
	}
	return nil
}

// is returns an error unless a Site has the condition with that reason for the latest
// generation of its spec.
func is(site *webv1alpha1.Site, condition, reason string) error {
	c := meta.FindStatusCondition(site.Status.Conditions, condition)
	if c == nil || c.Reason != reason || c.ObservedGeneration != site.Generation {
		return fmt.Errorf("look at Site %s/%s: it has conditions %v, and of its generation %d is wanted %s with reason %s",
			site.Namespace, site.Name, site.Status.Conditions, site.Generation, condition, reason)
	}
	return nil
}

func siteHas(name, condition, reason string) check {
	return func(ctx context.Context, c client.Client) error {
		site, err := read(ctx, c, name, &webv1alpha1.Site{})
		if err != nil {
			return err
		}
		return is(site, condition, reason)
	}
}

// blogHas requires this number of Pods of the current template, all of them ready, and no
// other Pods. The status of the Site has to say so, too.
func blogHas(replicas int32) check {
	return func(ctx context.Context, c client.Client) error {
		d, err := read(ctx, c, blog, &appsv1.Deployment{})
		if err != nil {
			return err
		}
		s := d.Status
		if s.ObservedGeneration != d.Generation || s.Replicas != replicas || s.UpdatedReplicas != replicas || s.ReadyReplicas != replicas {
			return fmt.Errorf("look at Deployment %s: it has %d Pods, %d of them new and %d ready, and %d are wanted",
				blog, s.Replicas, s.UpdatedReplicas, s.ReadyReplicas, replicas)
		}
		site, err := read(ctx, c, blog, &webv1alpha1.Site{})
		if err != nil {
			return err
		}
		if site.Status.ReadyReplicas != replicas {
			return fmt.Errorf("look at Site %s: it says that %d Pods are ready, and %d are", blog, site.Status.ReadyReplicas, replicas)
		}
		return is(site, webv1alpha1.ConditionReady, "Ready")
	}
}

func fileSays(name, want string) check {
	return func(ctx context.Context, c client.Client) error {
		files, err := read(ctx, c, name+"-files", &corev1.ConfigMap{})
		if err != nil {
			return err
		}
		if got := files.Data["index.html"]; got != want {
			return fmt.Errorf("the file says %q", got)
		}
		return nil
	}
}

func serviceExists(name string) check {
	return func(ctx context.Context, c client.Client) error {
		_, err := read(ctx, c, name, &corev1.Service{})
		return err
	}
}

func imageIsNot(name, image string) check {
	return func(ctx context.Context, c client.Client) error {
		d, err := read(ctx, c, name, &appsv1.Deployment{})
		if err != nil {
			return err
		}
		if got := d.Spec.Template.Spec.Containers[0].Image; got == image {
			return fmt.Errorf("look at Deployment %s: it still has image %s", name, got)
		}
		return nil
	}
}

func childrenGone(name string) check {
	return func(ctx context.Context, c client.Client) error {
		files := name + "-files"
		for _, err := range []error{
			gone(read(ctx, c, name, &webv1alpha1.Site{})),
			gone(read(ctx, c, name, &appsv1.Deployment{})),
			gone(read(ctx, c, name, &corev1.Service{})),
			gone(read(ctx, c, files, &corev1.ConfigMap{})),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func gone[O metav1.Object](object O, err error) error {
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	default:
		return fmt.Errorf("%T %s/%s is still there", object, object.GetNamespace(), object.GetName())
	}
}

// read reads an object from the API server, and returns it.
func read[O client.Object](ctx context.Context, c client.Client, name string, object O) (O, error) {
	if err := c.Get(ctx, keyOf(name), object); err != nil {
		return object, fmt.Errorf("read %T %s: %w", object, name, err)
	}
	return object, nil
}
