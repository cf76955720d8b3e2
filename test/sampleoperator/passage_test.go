package sampleoperator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

// atMost is how long a step of a passage may take.
const atMost = 30 * time.Second

// passage lets the operator do everything that it can do once. It ends when that is done, or
// when a request of the operator was refused.
type passage struct {
	*cluster
	metrics string // the address of the operator's metrics
	token   string // the token of an account that may read them
	mark    int64  // the mark in the audit log at which the passage began
}

func newPassage(t *testing.T, c *cluster) *passage {
	t.Helper()
	p := &passage{cluster: c, metrics: controlplane.FreeAddressForTest(t)}
	for _, obj := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: land}},
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: land, Name: "scraper"}},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "scraper"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: prefix + "metrics-reader"},
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: land, Name: "scraper"}},
		},
	} {
		must(t, c.api.Create(t.Context(), obj))
	}
	config, err := c.plane.ServiceAccountConfig(t.Context(), land, "scraper")
	must(t, err)
	p.token = config.BearerToken
	return p
}

// run runs one passage from a clean start. It returns what went wrong.
func (p *passage) run(t *testing.T) error {
	t.Helper()
	p.clean(t)
	_, p.mark = p.audit.since(p.mark)
	r := p.replica(t, 0, "--metrics-bind-address="+p.metrics)
	// The replica is killed: controller-runtime does not handle SIGTERM while it waits for
	// caches that may not list.
	defer r.drop()
	for _, step := range []struct {
		name string
		do   func(context.Context) error
		done func(context.Context) error
	}{
		{"serve webhooks", nothing, p.admits},
		{"show metrics", nothing, p.showsMetrics},
		{"make children", p.createFirst, func(ctx context.Context) error { return p.holds(ctx, "first") }},
		{"say that a hostname is taken", p.createSecond, p.secondWaits},
		{"mend children", p.deleteChildren, p.childrenAreThere},
		{"repeat an Event", nothing, p.hasRepeated},
		{"follow an edit", p.edit, p.isEdited},
		{"name a rival", nothing, p.namesRival},
		{"give a hostname to the Site that waits for it", p.deleteFirst, p.secondHolds},
		{"stay the leader", nothing, p.renewsLease},
		{"give back what nobody holds", p.claimForNobody, p.nobodyHolds},
		{"let go", p.deleteSecond, p.nothingIsLeft},
	} {
		if err := p.step(t, step.name, step.do, step.done); err != nil {
			return err
		}
	}
	r.stop(t)
	return nil
}

func nothing(context.Context) error { return nil }

// step calls do, and waits until the operator has reacted.
func (p *passage) step(t *testing.T, name string, do, done func(context.Context) error) error {
	t.Helper()
	deadline := time.Now().Add(atMost)
	did := false
	for {
		err := func() error {
			if !did {
				if err := do(t.Context()); err != nil {
					return err
				}
				did = true
			}
			return done(t.Context())
		}()
		calls, _ := p.audit.since(p.mark)
		if refused := refusals(calls); len(refused) > 0 {
			return fmt.Errorf("%s: refused: %s", name, refused[0])
		}
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: not done after %v: %w", name, atMost, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// clean removes what an earlier passage has left, wherever that passage ended. No operator
// runs then, so clean also removes the webhook configurations.
func (p *passage) clean(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	hooks := p.admission(t)
	for _, obj := range append(hooks,
		&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: leaseOf}},
		settings(),
	) {
		must(t, client.IgnoreNotFound(p.api.Delete(ctx, obj)))
	}
	for _, name := range []string{"first", "second"} {
		site := siteOf(name)
		forget := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		must(t, client.IgnoreNotFound(p.api.Delete(ctx, site)))
		await.Within(t, patience, name+" to be gone", func() error {
			if err := p.api.Patch(ctx, site, forget); !apierrors.IsNotFound(err) {
				return fmt.Errorf("it still exists, or: %w", err)
			}
			return nil
		})
	}
	for _, kind := range []client.Object{&appsv1.Deployment{}, &corev1.ConfigMap{}, &corev1.Service{}, &corev1.Event{}} {
		must(t, p.api.DeleteAllOf(ctx, kind, client.InNamespace(land)))
	}
	must(t, p.api.DeleteAllOf(ctx, &corev1.ConfigMap{}, client.InNamespace(namespace), claimed))
	for _, hook := range hooks {
		apply(t, p.api, hook.(*unstructured.Unstructured).DeepCopy())
	}
}

// admission returns the objects that make the API server call the operator's webhooks.
func (p *passage) admission(t *testing.T) (hooks []client.Object) {
	t.Helper()
	for _, obj := range p.manifests {
		if manifests.HasWebhooks(obj) {
			hooks = append(hooks, obj.DeepCopy())
		}
	}
	return hooks
}

// admits returns an error unless the API server can call the operator's webhooks.
func (p *passage) admits(ctx context.Context) error {
	return p.api.Create(ctx, siteOf("probe"), client.DryRunAll)
}

func (p *passage) showsMetrics(ctx context.Context) error {
	code, text, err := ask(ctx, http.MethodGet, "https://"+p.metrics+"/metrics", p.token)
	if err == nil && code != http.StatusOK {
		return fmt.Errorf("%d: %s", code, text)
	}
	return err
}

// renewsLease returns an error unless the leader has renewed its lease.
func (p *passage) renewsLease(ctx context.Context) error {
	var lease coordinationv1.Lease
	if err := p.api.Get(ctx, client.ObjectKey{Namespace: namespace, Name: leaseOf}, &lease); err != nil {
		return err
	}
	if !lease.Spec.RenewTime.After(lease.Spec.AcquireTime.Time) {
		return errors.New("it was never renewed")
	}
	return nil
}
