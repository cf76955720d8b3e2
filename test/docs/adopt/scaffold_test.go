package adopt

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

const (
	kubebuilder   = "sigs.k8s.io/kubebuilder/v4"
	kubebuilderIn = root + "/hack/tools/kubebuilder" // the module that pins kubebuilder's version
)

// followed are the sections that the test follows.
var followed = []string{"Get the module", "Put it in", "Leave"}

// asPlugin is the section that takes the place of the second with kubebuilder.
const asPlugin = "Or with kubebuilder"

// scaffolds are what kubebuilder is told to make.
var scaffolds = map[string][]string{
	"core": {"init --domain my.domain --repo my.domain/guestbook", "create api --group webapp --version v1 --kind Guestbook" + both},
	"webhooks": {
		"init --domain my.domain --repo my.domain/guestbook", "create api --group webapp --version v1 --kind Guestbook" + both,
		"create webhook --group webapp --version v1 --kind Guestbook --defaulting --programmatic-validation --make=false",
	},
	"several groups": {
		"init --domain my.domain --repo my.domain/guestbook --multigroup", "create api --group webapp --version v1 --kind Guestbook" + both,
		"create api --group crew --version v1 --kind Captain" + both,
		"create api --group apps --version v1 --kind Deployment --resource=false --controller --make=false",
	},
}

const both = " --resource --controller --make=false"

// TestScaffold makes a project with kubebuilder's own program, and does in it exactly what
// the page says.
func TestScaffold(t *testing.T) {
	p := newScaffold(t, "core")
	before := p.read("go.mod")
	p.follow(followed[0])
	p.follow(followed[1])
	p.checkVersions(before)
	p.checkManifests()
	if out := p.run(p.command("gofmt", "-l", "api", "cmd", "internal")); out != "" {
		t.Errorf("not as gofmt would have them: %s", out)
	}
	p.run(p.command("go", "build", "./..."))
	p.run(p.command("go", "mod", "tidy", "-diff"))
	out := p.run(p.command("go", "test", "-count=1", "-ldflags=-w", "./..."))
	if !strings.Contains(out, "ok  \tmy.domain/guestbook/internal/controller\t") {
		t.Errorf("the suite was not run:\n%s", out)
	}
	p.runProgram(p.image())
	p.follow(followed[2])
	p.checkLeft()
}

// TestPlugin has kubebuilder change the projects that it has made.
func TestPlugin(t *testing.T) {
	for name := range scaffolds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newScaffold(t, name)
			p.follow(followed[0])
			p.run(p.command("git", "commit", "--quiet", "--message", "clone"))
			p.follow(asPlugin)
			p.run(p.command("go", "vet", "./...")) // with the tests
			for _, file := range []string{"cmd/main.go", "go.mod", ".delta-adopt.patch"} {
				if !strings.Contains(p.read(file), module) {
					t.Errorf("%s has nothing of ours", file)
				}
			}
			p.checkControllers()
			p.run(p.command(p.kubebuilder, "edit", "--plugins=delta.dev/v1", "--undo"))
			if left := p.run(p.command("git", "status", "--porcelain", "--untracked-files=all")); left != "" {
				t.Errorf("it is not as it was scaffolded: %s\n%s", left, p.run(p.command("git", "diff")))
			}
			p.growOn()
		})
	}
}

// checkControllers looks for controllers that are not made by our builder.
func (p *project) checkControllers() {
	p.t.Helper()
	for file, text := range files(p.t, p.folder+"/internal/controller") {
		if strings.Contains(text, "NewControllerManagedBy") {
			p.t.Errorf("%s has a controller of controller-runtime's builder", file)
		}
	}
}

// growOn has the project get another controller when it has adopted.
func (p *project) growOn() {
	p.t.Helper()
	p.run(p.command(p.kubebuilder, "edit", "--plugins=delta.dev/v1"))
	p.run(p.command(p.kubebuilder, strings.Fields("create api --group webapp --version v1 --kind Visitor"+both)...))
	p.run(p.command("make", "manifests", "generate"))
	p.run(p.command(p.kubebuilder, "edit", "--plugins=delta.dev/v1"))
	p.checkControllers()
	p.run(p.command("go", "vet", "./..."))
	p.run(p.command(p.kubebuilder, "edit", "--plugins=delta.dev/v1", "--undo"))
	p.run(p.command("sh", "-c", "! git grep --untracked "+module+" -- ':!.gitmodules'"))
	p.run(p.command("go", "build", "./..."))
}

// newScaffold returns a project as kubebuilder makes it, in a git repository.
func newScaffold(t *testing.T, name string) *project {
	t.Helper()
	config := t.TempDir()
	p := &project{t: t, folder: t.TempDir(), config: config, env: append(identity(t), "XDG_CONFIG_HOME="+config)}
	p.kubebuilder = filepath.Join(t.TempDir(), "kubebuilder")
	here := &project{t: t, folder: kubebuilderIn}
	here.run(here.command("go", "build", "-o", p.kubebuilder, kubebuilder))
	version := strings.TrimSpace(here.run(here.command("go", "list", "-m", "-f", "{{.Version}}", kubebuilder)))
	if !strings.Contains(read(t, guide), "kubebuilder "+version) {
		t.Errorf("%s does not name kubebuilder %s, which it is tested with", guide, version)
	}
	for _, args := range scaffolds[name] {
		p.run(p.command(p.kubebuilder, strings.Fields(args)...))
	}
	p.run(p.command("make", "manifests", "generate"))
	p.commit()
	return p
}

// commit commits everything in the project to a new git repository.
func (p *project) commit() {
	p.t.Helper()
	p.run(p.command("git", "init", "--quiet"))
	p.run(p.command("git", "add", "--all"))
	p.run(p.command("git", "commit", "--quiet", "--message", "scaffold"))
}

var (
	raised  = regexp.MustCompile(`scaffolds\s+controller-runtime (v\S+) and the k8s\.io modules at (v\S+); afterwards ` + "`go.mod`" + ` has controller-runtime (v\S+) and (v\S+)\. The Go version, (\S+),`)
	require = regexp.MustCompile(`(?m)^(?:require )?\s*(k8s\.io/(?:apimachinery|client-go|api)|sigs\.k8s\.io/controller-runtime) (v\S+)`)
	goLine  = regexp.MustCompile(`(?m)^go (\d+\.\d+)`)
)

// checkVersions compares the required versions, before and after, with those that the page
// names.
func (p *project) checkVersions(before string) {
	p.t.Helper()
	said := raised.FindStringSubmatch(strings.Join(strings.Fields(read(p.t, guide)), " "))
	if said == nil {
		p.t.Fatalf("%s no longer says which versions change", guide)
	}
	check := func(when, text, runtime, libraries string) {
		found := require.FindAllStringSubmatch(text, -1)
		if len(found) < 3 {
			p.t.Errorf("%s the project requires only %q", when, found)
		}
		for _, m := range found {
			want := libraries
			if m[1] == "sigs.k8s.io/controller-runtime" {
				want = runtime
			}
			if m[2] != want {
				p.t.Errorf("%s the project requires %s %s, the page says %s", when, m[1], m[2], want)
			}
		}
		if m := goLine.FindStringSubmatch(text); len(m) < 2 || m[1] != said[5] {
			p.t.Errorf("%s the project has Go %q, the page says %s", when, m, said[5])
		}
	}
	check("as scaffolded,", before, said[1], said[2])
	check("afterwards", p.read("go.mod"), said[3], said[4])
}

// checkManifests has controller-gen look at the project again. Our sample operator is not part
// of it.
func (p *project) checkManifests() {
	p.t.Helper()
	p.run(p.command("make", "manifests", "generate"))
	if changed := p.run(p.command("git", "status", "--porcelain", "--", "api", "config")); changed != "" {
		p.t.Errorf("controller-gen found more than the project has:\n%s", changed)
	}
	if changed := p.run(p.command("git", "-C", "third_party/delta-runtime", "status", "--porcelain")); changed != "" {
		p.t.Errorf("controller-gen changed files of ours:\n%s", changed)
	}
}

// checkLeft looks for remains of our parts in the project.
func (p *project) checkLeft() {
	p.t.Helper()
	status := p.run(p.command("git", "status", "--porcelain", "--untracked-files=all"))
	for line := range strings.Lines(status) {
		switch file := strings.TrimSpace(line[2:]); file {
		case ".gitmodules":
			if p.read(file) != "" {
				p.t.Errorf("git still knows of a submodule:\n%s", p.read(file))
			}
		default:
			p.t.Errorf("it is not as it was scaffolded: %s", line)
		}
	}
	if strings.Contains(p.read("go.mod"), module) {
		p.t.Error("the project still requires us")
	}
	p.run(p.command("go", "build", "./..."))
}

// runProgram lets the program reconcile a Guestbook, and asks the inspector why it did.
func (p *project) runProgram(binary string) {
	p.t.Helper()
	plane := startPlane(p.t, p.folder)
	p.operate(plane, binary, nil, func(ctx context.Context, _ func() string) error {
		guestbook, err := guestbook()
		if err != nil {
			return err
		}
		if err := plane.api.Create(ctx, guestbook); err != nil {
			return err
		}
		_, why, _ := strings.Cut(read(p.t, "docs/guides/seeing.md"), "curl '")
		why, _, _ = strings.Cut(why, "'")
		await.Until(p.t, "the inspector to answer "+why, func() bool { return strings.Contains(page(ctx, why), "because of Primary Guestbook default/web Added") })
		await.Until(p.t, "the inspector to say why the Guestbook was reconciled", func() bool {
			return strings.Contains(page(ctx, "http://127.0.0.1:8082/delta/v1/reconciles"), `"causes":["Primary"]`)
		})
		return nil
	})
}

// page returns what there is at an address, if anything is.
func page(ctx context.Context, address string) string {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return ""
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}
