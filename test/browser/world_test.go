package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

// These are names in config/default.
const (
	root     = "../.."
	prefix   = "sample-operator-"
	system   = prefix + "system"
	siteKind = "web.example.com/v1alpha1 Site"
)

// grace is how long a program may take to end.
const grace = 20 * time.Second

// operated is the world that all tests of a real operator have in common.
var operated shared

type shared struct {
	once  sync.Once
	world *world
	ready bool
}

// forTest returns the world, which begins with the first test that asks.
func (s *shared) forTest(t *testing.T) *world {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.world.said())
		}
	})
	s.once.Do(func() {
		s.world = &world{tasks: lifecycle.New(context.Background())}
		s.world.begin(t)
		s.ready = true
	})
	if !s.ready {
		t.Fatal("the sample operator did not start, as the first test says that needs it")
	}
	return s.world
}

func (s *shared) end() {
	if s.world != nil {
		s.world.end()
	}
}

// world is the sample operator beside a control plane, with its account and its roles from
// config/. Somebody who may read looks at it through kubectl delta page.
type world struct {
	tasks  *lifecycle.Group
	plane  *controlplane.Plane
	api    client.Client
	folder string // of the programs and of what they write
	link   string // what kubectl delta page prints
}

func (w *world) begin(t *testing.T) {
	t.Helper()
	klog.SetLogger(logr.Discard())
	log.SetLogger(logr.Discard())
	var err error
	if w.folder, err = os.MkdirTemp("", "browser"); err != nil { //nolint:usetesting // it outlives the test
		t.Fatal(err)
	}
	w.compile(t, root, "./examples/sample-operator")
	w.compile(t, filepath.Join(root, "cmd", "kubectl-delta"), ".")
	if w.plane, err = controlplane.Start(context.Background(), controlplane.Options{}); err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	if w.api, err = client.New(w.plane.Config(), client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	w.install(t, "config/default", "")
	kubeconfig := filepath.Join(w.folder, "kubeconfig")
	if err := controlplane.WriteKubeconfig(kubeconfig, w.account(t, system, prefix+"controller-manager")); err != nil {
		t.Fatal(err)
	}
	metrics := controlplane.FreeAddressForTest(t)
	w.start(t, "sample-operator", []string{"ENABLE_WEBHOOKS=false"}, "--kubeconfig="+kubeconfig, "--namespace="+system,
		"--health-probe-bind-address=0", "--metrics-bind-address="+metrics)
	w.page(t, metrics)
}

// compile compiles a program of a module into the folder.
func (w *world) compile(t *testing.T, module, program string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", "-C", module, "build", "-o", w.folder, program)
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("compile %s of %s: %v\n%s", program, module, err, said)
	}
}

// install creates the objects of a folder, except the operator's own Deployment and what calls
// its webhooks. Empty, the namespace is the one that they name.
func (w *world) install(t *testing.T, folder, namespace string) {
	t.Helper()
	objects, err := manifests.Build(t.Context(), root, folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		if object.GetKind() == "Deployment" || manifests.HasWebhooks(object) {
			continue
		}
		if namespace != "" {
			object.SetNamespace(namespace)
		}
		await.Success(t, "the server to take "+object.GetKind()+" "+object.GetName(), func() error { // it takes a moment until it knows a new kind
			return w.api.Create(t.Context(), object)
		})
	}
}

func (w *world) account(t *testing.T, namespace, name string) *rest.Config {
	t.Helper()
	config, err := w.plane.ServiceAccountConfig(t.Context(), namespace, name)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// page lets somebody who may read look at the operator, through kubectl delta page.
func (w *world) page(t *testing.T, metrics string) {
	t.Helper()
	const who = "reader"
	w.create(t, account(who), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: who},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: prefix + "inspector-" + who},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "default", Name: who}},
	})
	token := w.account(t, "default", who).BearerToken
	said := w.start(t, "kubectl-delta", []string{"KUBECONFIG=/nowhere"}, "page", "--url=https://"+metrics, "--insecure-skip-tls-verify", "--token="+token)
	await.Success(t, "kubectl delta page to say where the page is", func() error {
		text, err := os.ReadFile(said)
		link, _, whole := strings.Cut(string(text), "\n")
		if err == nil && !whole {
			err = fmt.Errorf("it says %q", text)
		}
		w.link = link
		return err
	})
	await.Success(t, "the operator to follow Sites, and to let the reader see it", func() error { return w.follows(t.Context()) })
}

// follows asks for the kinds as a browser does that has the link.
func (w *world) follows(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.Replace(w.link, "/?", "/delta/v1/kinds?", 1), http.NoBody)
	if err != nil {
		return err
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err == nil && (!bytes.Contains(text, []byte(`"kind":"Site"`)) || bytes.Count(text, []byte(`"state":"Following"`)) < 2) {
		err = fmt.Errorf("%s: %s", response.Status, text)
	}
	return err
}

// start starts a program and returns the file that it writes to. It may not end before the world.
func (w *world) start(t *testing.T, name string, env []string, args ...string) (output string) {
	t.Helper()
	file, err := os.CreateTemp(w.folder, name+"-*.log")
	if err != nil {
		t.Fatal(err)
	}
	w.tasks.Guest(name, func(ctx context.Context) {
		c := exec.CommandContext(ctx, filepath.Join(w.folder, name), args...) //nolint:gosec // our own
		c.Env = append(os.Environ(), env...)
		c.Stdout, c.Stderr = file, file
		c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
		c.WaitDelay = grace
		defer controlplane.Bind(c)()
		if err := c.Run(); ctx.Err() == nil {
			fmt.Fprintf(file, "--- it has ended: %v\n", err)
		}
		_ = file.Close()
	})
	return file.Name()
}

// said is what the programs wrote at the end.
func (w *world) said() string {
	var all strings.Builder
	files, _ := filepath.Glob(filepath.Join(w.folder, "*.log"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		lines := strings.SplitAfter(string(text), "\n")
		fmt.Fprintf(&all, "%s wrote at the end (error %v):\n%s\n", filepath.Base(file), err, strings.Join(lines[max(0, len(lines)-30):], ""))
	}
	return all.String()
}

func (w *world) end() {
	w.tasks.Stop()
	if err := w.tasks.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if w.plane != nil {
		w.plane.Stop()
	}
	_ = os.RemoveAll(w.folder)
}

// look opens a view of the operator's page as somebody who follows the link.
func (w *world) look(t *testing.T, on screen, view string) *tab {
	t.Helper()
	b := newTab(t, on)
	b.visit(w.link, view)
	return b
}
