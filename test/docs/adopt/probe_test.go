package adopt

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/docblocks"
)

const (
	probeFile = "internal/controller/probe.go"
	probed    = "internal/controller/guestbook_controller.go"
)

// assets returns the folder of the control plane's programs.
func assets(t *testing.T) string {
	t.Helper()
	if folder := os.Getenv("KUBEBUILDER_ASSETS"); folder != "" {
		return folder
	}
	folder, err := filepath.Abs(filepath.Join(root, "bin", "k8s"))
	must(t, err)
	return folder
}

// probe is a project that reports the packages of its parts.
type probe struct{ *project }

// withProbe adds the probe to the project while it calls use.
func (p *project) withProbe(use func(probe)) {
	p.t.Helper()
	text, err := os.ReadFile("testdata/probe/probe.diff")
	must(p.t, err)
	hunks, err := docblocks.ParseDiff(string(text))
	must(p.t, err)
	source, err := os.ReadFile("testdata/probe/probe.go")
	must(p.t, err)
	p.write(probeFile, string(source))
	p.apply(probed, hunks)
	use(probe{p})
	p.apply(probed, reversed(hunks))
	must(p.t, os.Remove(filepath.Join(p.folder, probeFile)))
}

// suite runs the project's tests.
func (p probe) suite() map[string][]string {
	p.t.Helper()
	report := filepath.Join(p.t.TempDir(), "suite")
	tests := p.command("go", "test", "-count=1", "-ldflags=-w", "./...") // which vets it, too
	tests.Env = append(tests.Env, "ADOPT_PROBE="+report)
	out := p.run(tests)
	if !strings.Contains(out, "ok  \tmy.domain/guestbook/internal/controller\t") {
		p.t.Errorf("the suite was not run:\n%s", out)
	}
	return told(p.t, report)
}

// told reads the output of a probe: for each question the different answers.
func told(t *testing.T, report string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(report) //nolint:gosec // a file that this test has named
	must(t, err)
	answers := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		what, is, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !slices.Contains(answers[what], is) {
			answers[what] = append(answers[what], is)
		}
	}
	return answers
}

// plane is a control plane that knows the kind Guestbook. Only one program at a time may use
// it, because each program would work on all Guestbooks.
type plane struct {
	api        client.WithWatch
	kubeconfig string
	turn       sync.Mutex // guards the cluster's contents
}

// startPlane starts a control plane that knows the kinds of a project.
func startPlane(t *testing.T, project string) *plane {
	t.Helper()
	config := controlplane.ForTest(t, controlplane.Options{}).Config()
	crds := envtest.CRDInstallOptions{Paths: []string{filepath.Join(project, "config", "crd", "bases")}, ErrorIfPathMissing: true}
	if _, err := envtest.InstallCRDs(config, crds); err != nil {
		t.Fatal(err)
	}
	api, err := client.NewWithWatch(config, client.Options{})
	must(t, err)
	p := &plane{api: api, kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	must(t, controlplane.WriteKubeconfig(p.kubeconfig, config))
	return p
}

// program runs the project's main until it has made a Deployment. It returns what the probe
// found, and the log.
func (p probe) program(on *plane) (answers map[string][]string, log string) {
	p.t.Helper()
	folder := p.t.TempDir()
	binary, report := filepath.Join(folder, "manager"), filepath.Join(folder, "report")
	p.run(p.command("go", "build", "-ldflags=-s -w", "-o", binary, "./cmd"))
	log = p.operate(on, binary, []string{"ADOPT_PROBE=" + report}, func(ctx context.Context, _ func() string) error {
		return on.play(ctx)
	})
	return told(p.t, report), log
}

// operate runs a program of the project until play returns, and ends it as a rollout does. It
// returns the log. play can read the log before that.
func (p *project) operate(on *plane, binary string, env []string, play func(context.Context, func() string) error) string {
	p.t.Helper()
	on.turn.Lock()
	defer on.turn.Unlock()
	out, err := os.Create(filepath.Join(p.t.TempDir(), "log"))
	must(p.t, err)
	defer func() { _ = out.Close() }()
	log := func() string {
		text, err := os.ReadFile(out.Name())
		if err != nil {
			p.t.Error(err)
		}
		return string(text)
	}
	manager := p.command(binary, "--health-probe-bind-address=0")
	manager.Env = append(append(manager.Env, "KUBECONFIG="+on.kubeconfig), env...)
	manager.Stdout, manager.Stderr = out, out
	defer controlplane.Bind(manager)()
	must(p.t, manager.Start())
	ctx, cancel := context.WithTimeout(p.t.Context(), await.Patience)
	defer cancel()
	problem := play(ctx, log)
	_ = manager.Process.Signal(syscall.SIGTERM) // it has ended, or ends now
	if err := manager.Wait(); err != nil || problem != nil {
		p.t.Fatalf("the program: %v, its work: %v, its log:\n%s", err, problem, log())
	}
	return log()
}

// guestbook is the Guestbook that the programs work on.
func guestbook() (*unstructured.Unstructured, error) {
	g := &unstructured.Unstructured{}
	g.SetGroupVersionKind(schema.GroupVersionKind{Group: "webapp.my.domain", Version: "v1", Kind: "Guestbook"})
	g.SetNamespace("default")
	g.SetName("web")
	return g, unstructured.SetNestedField(g.Object, "guestbook:1", "spec", "image")
}

// play makes a Guestbook and waits for its Deployment. Then it deletes both.
func (p *plane) play(ctx context.Context) error {
	guestbook, err := guestbook()
	if err != nil {
		return err
	}
	if err := p.api.Create(ctx, guestbook); err != nil {
		return err
	}
	watcher, err := p.api.Watch(ctx, &appsv1.DeploymentList{}, client.InNamespace("default"))
	if err != nil {
		return err
	}
	defer watcher.Stop()
	var made client.Object
	for made == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case event := <-watcher.ResultChan():
			if event.Type == watch.Added {
				made, _ = event.Object.(client.Object)
			}
		}
	}
	if err := p.api.Delete(ctx, guestbook); err != nil {
		return err
	}
	return p.api.Delete(ctx, made)
}
