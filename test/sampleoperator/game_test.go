package sampleoperator

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

const (
	land      = "land" // the namespace of all Sites
	secrets   = 20
	hostnames = 60 // fewer than the Sites ask for, so that Sites wait for each other
)

// game edits Sites as users do, and damages their children.
type game struct {
	t      *testing.T
	api    client.Client
	rng    *rand.Rand
	sites  []string // the names of the Sites; not all of them exist all the time
	rules  rules
	writes int // the users' writes that succeeded
	harm   int // the number of damages behind the operator's back
}

// rules are the differences between a cluster with real Pods and one where Pods run nothing.
type rules struct {
	sites, steps int
	images       []string
	ports        []int32
}

// pretended are the rules for Pods that run nothing.
var pretended = rules{
	sites: 200, steps: 900,
	images: []string{"example.com/site:1", "example.com/site:2", "example.com/site:3"},
	ports:  []int32{8080, 8081, 8082, 8083},
}

// actual are the rules for one node that runs containers. It has to pull the images, and the
// ports are those of the images.
var actual = rules{
	sites: 40, steps: 300,
	images: []string{"nginxinc/nginx-unprivileged:1.29-alpine", "nginxinc/nginx-unprivileged:1.28-alpine"},
	ports:  []int32{8080},
}

// shuffle changes one field of a Site.
func (r rules) shuffle(rng *rand.Rand, spec *v1alpha1.SiteSpec) {
	switch rng.IntN(6) {
	case 0:
		spec.Replicas = new(int32(rng.IntN(3)))
	case 1:
		spec.Image = r.images[rng.IntN(len(r.images))]
	case 2:
		spec.Port = r.ports[rng.IntN(len(r.ports))]
	case 3:
		if spec.Files == nil || rng.IntN(4) == 0 {
			spec.Files = map[string]string{}
		}
		spec.Files[fmt.Sprintf("page-%d.html", rng.IntN(3))] = fmt.Sprint("text ", rng.IntN(100))
	case 4:
		spec.Secrets = nil
		for _, i := range rng.Perm(secrets)[:rng.IntN(3)] {
			spec.Secrets = append(spec.Secrets, secretName(i))
		}
	case 5:
		spec.Hostname = ""
		if rng.IntN(4) > 0 {
			spec.Hostname = fmt.Sprintf("host-%02d.example.com", rng.IntN(hostnames))
		}
	}
}

func newGame(t *testing.T, api client.Client, seed uint64, rules rules) *game {
	t.Helper()
	g := &game{t: t, api: api, rng: rand.New(rand.NewPCG(seed, 0)), rules: rules}
	g.do("make the namespace of the Sites", func(ctx context.Context) error {
		err := api.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: land}})
		return client.IgnoreAlreadyExists(err)
	})
	for i := range secrets {
		g.putSecret(i)
	}
	for i := range rules.sites {
		g.sites = append(g.sites, fmt.Sprintf("site-%03d", i))
		g.create(g.sites[i])
	}
	return g
}

// do repeats a request until it succeeds, because the webhooks and the API server are down at
// times.
func (g *game) do(what string, action func(context.Context) error) {
	g.t.Helper()
	await.Within(g.t, patience, what, func() error {
		ctx, cancel := context.WithTimeout(g.t.Context(), 10*time.Second)
		defer cancel()
		return action(ctx)
	})
	g.writes++
}

// step makes one random change or damage.
func (g *game) step() {
	g.t.Helper()
	site := g.sites[g.rng.IntN(len(g.sites))]
	switch n := g.rng.IntN(100); {
	case n < 50:
		g.edit(site)
	case n < 62:
		g.deleteChild(site)
	case n < 74:
		g.damageChild(site)
	case n < 80:
		g.deleteClaim()
	case n < 86:
		g.putSecret(g.rng.IntN(secrets))
	case n < 89:
		g.deleteSecret(g.rng.IntN(secrets))
	case n < 95:
		g.delete(site)
	default:
		g.create(site)
	}
}

func (g *game) create(name string) {
	g.t.Helper()
	site := &v1alpha1.Site{ObjectMeta: metav1.ObjectMeta{Namespace: land, Name: name}}
	for range 5 {
		g.rules.shuffle(g.rng, &site.Spec)
	}
	g.do("create "+name, func(ctx context.Context) error {
		err := g.api.Create(ctx, site.DeepCopy())
		return client.IgnoreAlreadyExists(err) // it may also be in deletion
	})
}

// edit changes one field of a Site, if there is a Site.
func (g *game) edit(name string) {
	g.t.Helper()
	seed := g.rng.Uint64()
	g.do("edit "+name, func(ctx context.Context) error {
		var site v1alpha1.Site
		if err := g.api.Get(ctx, client.ObjectKey{Namespace: land, Name: name}, &site); err != nil {
			return client.IgnoreNotFound(err)
		}
		g.rules.shuffle(rand.New(rand.NewPCG(seed, 1)), &site.Spec) // the same change in every attempt
		return client.IgnoreNotFound(g.api.Update(ctx, &site))
	})
}

func (g *game) delete(name string) {
	g.t.Helper()
	g.do("delete "+name, func(ctx context.Context) error {
		return client.IgnoreNotFound(g.api.Delete(ctx, &v1alpha1.Site{ObjectMeta: metav1.ObjectMeta{Namespace: land, Name: name}}))
	})
}

func secretName(i int) string { return fmt.Sprintf("secret-%02d", i) }

// putSecret creates a Secret, or changes it.
func (g *game) putSecret(i int) {
	g.t.Helper()
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: land, Name: secretName(i)},
		StringData: map[string]string{"TOKEN": fmt.Sprint(g.rng.Uint64())},
	}
	g.do("put "+secret.Name, func(ctx context.Context) error {
		if err := g.api.Create(ctx, secret.DeepCopy()); !apierrors.IsAlreadyExists(err) {
			return err
		}
		return g.api.Update(ctx, secret.DeepCopy())
	})
}

func (g *game) deleteSecret(i int) {
	g.t.Helper()
	g.do("delete "+secretName(i), func(ctx context.Context) error {
		return client.IgnoreNotFound(g.api.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: land, Name: secretName(i)}}))
	})
}

// child returns a random child of a Site.
func (g *game) child(site string) client.Object {
	meta := metav1.ObjectMeta{Namespace: land, Name: site}
	switch g.rng.IntN(3) {
	case 0:
		return &appsv1.Deployment{ObjectMeta: meta}
	case 1:
		return &corev1.Service{ObjectMeta: meta}
	default:
		meta.Name += "-files"
		return &corev1.ConfigMap{ObjectMeta: meta}
	}
}

// deleteChild deletes a child of a Site behind the operator's back.
func (g *game) deleteChild(site string) {
	g.t.Helper()
	child := g.child(site)
	g.harm++
	g.do("delete a child of "+site, func(ctx context.Context) error {
		return client.IgnoreNotFound(g.api.Delete(ctx, child, client.PropagationPolicy(metav1.DeletePropagationBackground)))
	})
}

// damageChild changes a field of a child that the Site decides about.
func (g *game) damageChild(site string) {
	g.t.Helper()
	child := g.child(site)
	port := int32(9000 + g.rng.IntN(10))
	g.harm++
	g.do("damage a child of "+site, func(ctx context.Context) error {
		if err := g.api.Get(ctx, client.ObjectKeyFromObject(child), child); err != nil {
			return client.IgnoreNotFound(err)
		}
		switch child := child.(type) {
		case *appsv1.Deployment:
			child.Spec.Replicas = new(port % 3)
			child.Spec.Template.Spec.Containers[0].Image = "example.com/not:this"
		case *corev1.Service:
			child.Spec.Ports[0].Port = port
		case *corev1.ConfigMap:
			for name := range child.Data {
				child.Data[name] = "not this"
			}
		}
		return client.IgnoreNotFound(g.api.Update(ctx, child))
	})
}

// deleteClaim deletes the claim of a hostname.
func (g *game) deleteClaim() {
	g.t.Helper()
	name := fmt.Sprintf("hostname-host-%02d.example.com", g.rng.IntN(hostnames))
	g.harm++
	g.do("delete "+name, func(ctx context.Context) error {
		return client.IgnoreNotFound(g.api.Delete(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}))
	})
}

// settle creates everything that the operator waits for.
func (g *game) settle() {
	g.t.Helper()
	for i := range secrets {
		g.putSecret(i)
	}
}

// deleteAll deletes every Site.
func (g *game) deleteAll() {
	g.t.Helper()
	for _, name := range g.sites {
		g.delete(name)
	}
}

// leftovers returns an error while there are objects of Sites that are deleted.
func (g *game) leftovers() error {
	ctx := g.t.Context()
	var sites v1alpha1.SiteList
	if err := g.api.List(ctx, &sites, client.InNamespace(land)); err != nil {
		return err
	}
	if n := len(sites.Items); n > 0 {
		return fmt.Errorf("%d Sites are not deleted, such as %s because of %v", n, sites.Items[0].Name, sites.Items[0].Finalizers)
	}
	var deployments appsv1.DeploymentList
	var services corev1.ServiceList
	var files corev1.ConfigMapList
	var claims corev1.ConfigMapList
	if err := errors.Join(
		g.api.List(ctx, &deployments, client.InNamespace(land)),
		g.api.List(ctx, &services, client.InNamespace(land)),
		g.api.List(ctx, &files, client.InNamespace(land)),
		g.api.List(ctx, &claims, client.InNamespace(namespace), claimed),
	); err != nil {
		return err
	}
	var left []string
	for i := range deployments.Items {
		left = append(left, "Deployment "+deployments.Items[i].Name)
	}
	for i := range services.Items {
		left = append(left, "Service "+services.Items[i].Name)
	}
	for i := range files.Items {
		if strings.HasPrefix(files.Items[i].Name, "site-") {
			left = append(left, "ConfigMap "+files.Items[i].Name)
		}
	}
	for i := range claims.Items {
		left = append(left, "claim "+claims.Items[i].Name)
	}
	if len(left) > 0 {
		return fmt.Errorf("%d objects are left over, such as %s", len(left), left[0])
	}
	return nil
}

// claimed selects claims of hostnames.
var claimed = client.MatchingLabels{"web.example.com/claim": "hostname"}
