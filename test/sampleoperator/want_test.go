package sampleoperator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
)

// wrong returns an error about everything that is not as the Sites want it. It works out by
// itself what they want, without the operator's code.
func wrong(ctx context.Context, api client.Client) error {
	w, err := look(ctx, api)
	if err != nil {
		return err
	}
	var problems []error
	for i := range w.sites {
		if err := w.checkSite(&w.sites[i]); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", w.sites[i].Name, err))
		}
	}
	problems = append(problems, w.checkClaims())
	return firstOf(problems)
}

// firstOf returns the first of the problems, and their number.
func firstOf(problems []error) error {
	problems = slices.DeleteFunc(problems, func(err error) bool { return err == nil })
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%d problems, the first: %w", len(problems), problems[0])
}

// worldview has all objects at about one moment.
type worldview struct {
	sites       []v1alpha1.Site
	deployments map[string]*appsv1.Deployment
	services    map[string]*corev1.Service
	files       map[string]*corev1.ConfigMap
	claims      map[string]string // by hostname, the Site that holds it
}

func look(ctx context.Context, api client.Client) (*worldview, error) {
	var sites v1alpha1.SiteList
	var deployments appsv1.DeploymentList
	var services corev1.ServiceList
	var files, claims corev1.ConfigMapList
	here := client.InNamespace(land)
	err := errors.Join(
		api.List(ctx, &sites, here), api.List(ctx, &deployments, here), api.List(ctx, &services, here),
		api.List(ctx, &files, here), api.List(ctx, &claims, client.InNamespace(namespace), claimed),
	)
	w := &worldview{
		sites: sites.Items, deployments: byName(deployments.Items), services: byName(services.Items),
		files: byName(files.Items), claims: map[string]string{},
	}
	for i := range claims.Items {
		claim := &claims.Items[i]
		w.claims[strings.TrimPrefix(claim.Name, "hostname-")] = claim.Data["namespace"] + "/" + claim.Data["name"]
	}
	return w, err
}

func byName[T any, P interface {
	*T
	client.Object
}](items []T) map[string]P {
	found := map[string]P{}
	for i := range items {
		found[P(&items[i]).GetName()] = &items[i]
	}
	return found
}

// checkSite returns what is wrong with a Site's children or its status.
func (w *worldview) checkSite(site *v1alpha1.Site) error {
	if site.DeletionTimestamp != nil {
		return fmt.Errorf("it is in deletion, and waits for the finalizers %v", site.Finalizers)
	}
	deployment, service, files := w.deployments[site.Name], w.services[site.Name], w.files[site.Name+"-files"]
	switch {
	case deployment == nil:
		return errors.New("there is no Deployment")
	case service == nil:
		return errors.New("there is no Service")
	case files == nil:
		return errors.New("there is no ConfigMap")
	}
	for _, child := range []client.Object{deployment, service, files} {
		if !metav1.IsControlledBy(child, site) {
			return fmt.Errorf("%T is owned by %v", child, child.GetOwnerReferences())
		}
	}
	if !maps.Equal(files.Data, site.Spec.Files) {
		return fmt.Errorf("the ConfigMap has %v, want %v", files.Data, site.Spec.Files)
	}
	if err := checkDeployment(&site.Spec, deployment); err != nil {
		return err
	}
	if err := checkService(&site.Spec, service, deployment); err != nil {
		return err
	}
	return checkStatus(site)
}

func checkDeployment(spec *v1alpha1.SiteSpec, d *appsv1.Deployment) error {
	container := d.Spec.Template.Spec.Containers[0]
	var from []string
	for _, source := range container.EnvFrom {
		from = append(from, source.SecretRef.Name)
	}
	slices.Sort(from)
	secrets := slices.Sorted(slices.Values(spec.Secrets))
	switch {
	case *d.Spec.Replicas != *spec.Replicas:
		return fmt.Errorf("the Deployment has %d replicas, want %d", *d.Spec.Replicas, *spec.Replicas)
	case container.Image != spec.Image:
		return fmt.Errorf("the Deployment has image %s, want %s", container.Image, spec.Image)
	case len(container.Ports) != 1 || container.Ports[0].ContainerPort != spec.Port:
		return fmt.Errorf("the Deployment has ports %v, want %d", container.Ports, spec.Port)
	case !slices.Equal(from, secrets):
		return fmt.Errorf("the Deployment's environment is from %v, want %v", from, secrets)
	default:
		return nil
	}
}

func checkService(spec *v1alpha1.SiteSpec, s *corev1.Service, d *appsv1.Deployment) error {
	if len(s.Spec.Ports) != 1 || s.Spec.Ports[0].Port != 80 {
		return fmt.Errorf("the Service has ports %v, want 80", s.Spec.Ports)
	}
	target := s.Spec.Ports[0].TargetPort
	if name := d.Spec.Template.Spec.Containers[0].Ports[0].Name; target.IntVal != spec.Port && target.StrVal != name {
		return fmt.Errorf("the Service leads to %s, want %d or %s", target.String(), spec.Port, name)
	}
	labels := d.Spec.Template.Labels
	for key, value := range s.Spec.Selector {
		if labels[key] != value {
			return fmt.Errorf("the Service selects %v, but Pods have %v", s.Spec.Selector, labels)
		}
	}
	if len(s.Spec.Selector) == 0 {
		return errors.New("the Service selects nothing")
	}
	return nil
}

func checkStatus(site *v1alpha1.Site) error {
	held := site.Spec.Hostname == "" || site.Status.Hostname == site.Spec.Hostname
	ready := meta.IsStatusConditionTrue(site.Status.Conditions, "Ready")
	switch {
	case site.Status.ObservedGeneration != site.Generation:
		return fmt.Errorf("generation %d was observed, want %d", site.Status.ObservedGeneration, site.Generation)
	case site.Status.ReadyReplicas != *site.Spec.Replicas:
		return fmt.Errorf("%d Pods are ready, want %d", site.Status.ReadyReplicas, *site.Spec.Replicas)
	case !meta.IsStatusConditionTrue(site.Status.Conditions, "SecretsFound"):
		return fmt.Errorf("not all Secrets are found: %v", site.Status.Conditions)
	case site.Spec.Hostname != "" && meta.IsStatusConditionTrue(site.Status.Conditions, "HostnameHeld") != held:
		return fmt.Errorf("its condition about the hostname is %v", site.Status.Conditions)
	case ready != held:
		return fmt.Errorf("it is ready: %t, want %t: %v", ready, held, site.Status.Conditions)
	default:
		return nil
	}
}

// checkClaims checks that each wanted hostname is held by a Site that wants it, and that no
// other hostname is held.
func (w *worldview) checkClaims() error {
	wanted := map[string][]string{}
	for i := range w.sites {
		if host := w.sites[i].Spec.Hostname; host != "" {
			wanted[host] = append(wanted[host], land+"/"+w.sites[i].Name)
		}
		if host := w.sites[i].Status.Hostname; host != "" && w.claims[host] != land+"/"+w.sites[i].Name {
			return fmt.Errorf("%s says that it holds %s, but %s holds it", w.sites[i].Name, host, w.claims[host])
		}
	}
	for host, holder := range w.claims {
		if !slices.Contains(wanted[host], holder) {
			return fmt.Errorf("%s is held by %s, and wanted by %v", host, holder, wanted[host])
		}
	}
	for host, by := range wanted {
		if w.claims[host] == "" {
			return fmt.Errorf("%s is held by nobody, and wanted by %v", host, by)
		}
	}
	return nil
}
