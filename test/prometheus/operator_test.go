//go:build observability

package prometheus

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

// world is the sample operator, beside a control plane, with a Prometheus that scrapes it.
type world struct {
	*server
	plane    *controlplane.Plane
	api      client.Client
	sites    []*unstructured.Unstructured
	replicas []string // the addresses of their metrics
}

// newWorld starts a world with a number of replicas and the samples from config/. The account
// is the administrator's: other tests look after rights.
func newWorld(t *testing.T, rules *ruleFile, replicas int, flags ...string) *world {
	t.Helper()
	installed(t, "prometheus") // so that this is said before anything is compiled
	path := binary(t)
	w := &world{plane: controlplane.ForTest(t, controlplane.Options{})}
	config := w.plane.Config()
	var err error
	if w.api, err = client.New(config, client.Options{HTTPClient: controlplane.HTTPClientForTest(t, config)}); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"config/crd", "config/samples"} {
		w.install(t, folder)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, controlplane.WriteKubeconfig(kubeconfig, config))
	for n := range replicas {
		w.replicas = append(w.replicas, controlplane.FreeAddressForTest(t))
		run(t, fmt.Sprint("replica-", n), func(ctx context.Context) *exec.Cmd {
			c := exec.CommandContext(ctx, path, append([]string{ //nolint:gosec // our own
				"--kubeconfig=" + kubeconfig, "--namespace=default", "--health-probe-bind-address=0",
				"--metrics-secure=false", "--metrics-bind-address=" + w.replicas[n],
			}, flags...)...)
			c.Env = append(os.Environ(), "ENABLE_WEBHOOKS=false")
			return c
		})
	}
	w.server = newServer(t, rules, w.replicas)
	await.Success(t, "every replica to follow every kind", func() error {
		return w.holds(t.Context(), fmt.Sprintf(
			`count(delta_cache_state{state="Following"} == 1) == count(delta_cache_synced == 1) and count(up == 1) == %d`, replicas))
	})
	return w
}

// install creates the objects of a folder.
func (w *world) install(t *testing.T, folder string) {
	t.Helper()
	objects, err := manifests.Build(t.Context(), root, folder)
	must(t, err)
	for _, object := range objects {
		if object.GetKind() != "CustomResourceDefinition" {
			object.SetNamespace("default")
		}
		await.Success(t, "the server to take "+object.GetKind(), func() error { // it takes a moment until it knows a new kind
			return w.api.Create(t.Context(), object)
		})
		if object.GetKind() == "Site" {
			w.sites = append(w.sites, object)
		}
	}
}

// edit changes all Sites.
func (w *world) edit(t *testing.T, text string) {
	t.Helper()
	for _, site := range w.sites {
		patch := []byte(fmt.Sprintf(`{"spec":{"files":{"index.html":%q}}}`, text))
		if err := w.api.Patch(t.Context(), site.DeepCopy(), client.RawPatch("application/merge-patch+json", patch)); err != nil {
			t.Fatalf("change %s: %v", site.GetName(), err)
		}
	}
}
