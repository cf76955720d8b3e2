//go:build observability

package prometheus

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

// TestAnOutageIsSeen kills the API server under a running operator. Prometheus raises the alert DeltaKindDisconnected for
// each kind, and no other. The dashboard finds it, and the page says of each kind since when it is not heard. All of it
// ends when the server is back.
func TestAnOutageIsSeen(t *testing.T) {
	rules := readRules(t)
	rules.alert(t, "DeltaKindDisconnected").sooner(t, "> 120", "> 15", "2s")
	o := newOnlooker(t, rules)
	o.shows(t, disconnections{})
	if err := o.firing(t.Context(), 0); err != nil {
		t.Fatalf("before the outage: %v", err)
	}

	killed := time.Now()
	o.plane.KillAPIServer()
	await.Success(t, "an alert for each kind", func() error { return o.firing(t.Context(), len(o.kinds)) })
	t.Logf("%d alerts fire %v after the server was killed", len(o.kinds), time.Since(killed).Round(100*time.Millisecond))
	o.checkTexts(t)
	o.checkDashboard(t)
	disconnected, err := o.disconnected(t.Context())
	if err != nil || len(disconnected) != len(o.kinds) {
		t.Fatalf("the inspector's API says that these are disconnected: %v, error %v; want all of %q", disconnected, err, o.kinds)
	}
	o.shows(t, disconnected)

	must(t, o.plane.StartAPIServer(t.Context()))
	await.Success(t, "the end of all alerts", func() error { return o.firing(t.Context(), 0) })
	o.shows(t, disconnections{})
}

// world is the sample operator, beside a control plane, with a Prometheus that scrapes it.
type world struct {
	*server
	plane    *controlplane.Plane
	api      client.Client
	sites    []*unstructured.Unstructured
	replicas []string // the addresses of their metrics
}

// firing returns an error unless so many alerts are firing. All must be DeltaKindDisconnected.
func (w *world) firing(ctx context.Context, want int) error {
	alerts, err := w.alerts(ctx)
	if err != nil {
		return err
	}
	fire := 0
	for _, a := range alerts {
		if a.State != "firing" {
			continue
		}
		fire++
		if a.Labels["alertname"] != "DeltaKindDisconnected" {
			return fmt.Errorf("there is the alert %v", a.Labels)
		}
	}
	if fire != want {
		return fmt.Errorf("%d alerts fire, want %d", fire, want)
	}
	return nil
}

// checkTexts looks at what people get to read.
func (w *world) checkTexts(t *testing.T) {
	t.Helper()
	alerts, err := w.alerts(t.Context())
	must(t, err)
	for i, a := range alerts {
		for name, text := range a.Annotations {
			if strings.Contains(text, "<no value>") || strings.Contains(text, "<error") || strings.Contains(text, "  ") {
				t.Errorf("the %s is %q", name, text)
			}
		}
		if kind := a.Labels["kind"]; kind == "" || !strings.Contains(a.Annotations["summary"], kind) {
			t.Errorf("the summary for kind %q is %q", kind, a.Annotations["summary"])
		}
		if i == 0 {
			t.Logf("%s\n%s", a.Annotations["summary"], a.Annotations["description"])
		}
	}
}

// checkDashboard evaluates those queries of the dashboard that find something only in an outage.
func (w *world) checkDashboard(t *testing.T) {
	t.Helper()
	queries := readDashboard(t).queries(t)
	maps.DeleteFunc(queries, func(query, _ string) bool {
		return !strings.Contains(query, "ALERTS{") && !strings.Contains(query, "delta_cache_disconnected_since_timestamp_seconds{")
	})
	if len(queries) < 3 {
		t.Errorf("only %v are about outages", queries)
	}
	if err := w.evaluate(t.Context(), queries, nil); err != nil {
		t.Error(err)
	}
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
