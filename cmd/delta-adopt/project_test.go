package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scaffold is a project that go can tidy without any module, and what the command said in it last.
type scaffold struct {
	*testing.T

	dir  string
	says string
}

func newScaffold(t *testing.T, files contents) *scaffold {
	t.Helper()
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	s := &scaffold{T: t, dir: t.TempDir()}
	for path, text := range files {
		s.put(path, text)
	}
	return s
}

func (s *scaffold) put(path, text string) {
	s.Helper()
	if err := (&project{dir: s.dir}).write(contents{path: text}); err != nil {
		s.Fatal(err)
	}
}

// run runs the command in the project.
func (s *scaffold) run(args ...string) error {
	var out bytes.Buffer
	err := run(s.Context(), append(args, s.dir), &out, &out)
	s.says = out.String()
	return err
}

// do wants the command to succeed.
func (s *scaffold) do(args ...string) string {
	s.Helper()
	if err := s.run(args...); err != nil {
		s.Fatalf("%q: %v\n%s", args, err, s.says)
	}
	return s.says
}

// files returns all files of the project.
func (s *scaffold) files() contents {
	s.Helper()
	found := contents{}
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		inside, _ := filepath.Rel(s.dir, path)
		found[inside] = string(text)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return found
}

// has wants the project to have these files and no others.
func (s *scaffold) has(want contents) {
	s.Helper()
	if got := s.files(); !maps.Equal(got, want) {
		s.Errorf("it says %s, and afterwards the project has %v", s.says, got)
	}
}

// fakes are modules with the names of those that a project needs, in which its changed files compile.
var fakes = contents{
	"go.mod": "module my.domain/operator\n\ngo 1.26\n\nrequire sigs.k8s.io/controller-runtime v0.0.0\n\n" +
		"replace sigs.k8s.io/controller-runtime => ./third_party/controller-runtime\n",
	"third_party/controller-runtime/go.mod":      "module sigs.k8s.io/controller-runtime\n\ngo 1.26\n",
	"third_party/controller-runtime/alias.go":    "package controllerruntime\n\ntype (\n\tOptions struct{}\n\tManager struct{}\n)\n\nfunc NewManager(any, Options) (*Manager, error) { return nil, nil }\n\nfunc NewControllerManagedBy(*Manager) error { return nil }\n",
	"third_party/delta-runtime/go.mod":           "module " + ours + "\n\ngo 1.26\n",
	"third_party/delta-runtime/pkg/manager/m.go": "package manager\n\nfunc Configure(any) error { return nil }\n\nfunc AddInspector(any, any) error { return nil }\n",
	"third_party/delta-runtime/pkg/builder/b.go": "package builder\n\nfunc ControllerManagedBy(any) error { return nil }\n",
	"third_party/delta-runtime/pkg/inspect/i.go": "package inspect\n\ntype Options struct{ BindAddress string }\n",
	"cmd/main.go":      head(ctrlImport) + "\nfunc main() {\n\tmgr, err := ctrl.NewManager(nil, ctrl.Options{})\n\tif err != nil {\n\t\tos.Exit(1)\n\t}\n\t_ = mgr\n}\n",
	"cmd/main_test.go": "package main\n",
	"Makefile":         "manifests:\n\t\"$(CONTROLLER_GEN)\" crd paths=\"./...\" output:dir=config\n\tcd api; $(CONTROLLER_GEN) paths=\"./...\"\n\tgo vet ./...\n",
	"Dockerfile":       "FROM golang\nCOPY go.mod go.mod\nCOPY go.sum go.sum\nRUN go mod download\n",
	".dockerignore":    "*\n!go.mod\n!go.sum\n",
}

func TestWhatIsPutInIsTakenOut(t *testing.T) {
	repository := t.TempDir() // the project is a folder in it
	if out, err := exec.CommandContext(t.Context(), "git", "init", "--quiet", repository).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := newScaffold(t, fakes)
	inside := filepath.Join(repository, "operator")
	if err := os.Rename(p.dir, inside); err != nil {
		t.Fatal(err)
	}
	p.dir = inside
	before := p.files()
	if says := p.do("-n"); !strings.Contains(says, "+	if err := manager.Configure(&options); err != nil {") {
		t.Errorf("-n does not print the change:\n%s", says)
	}
	p.has(before)
	if says := p.do(); !strings.Contains(says, "\nRun the operator, and open http://127.0.0.1:8082/delta/\n") {
		t.Errorf("it does not say where the page is:\n%s", says)
	}
	after := p.files()
	for name, want := range map[string]string{
		"Makefile":      "crd paths=\"./cmd/...\" output:dir=config\n\tcd api; $(CONTROLLER_GEN) paths=\"./...\"\n",
		"Dockerfile":    "COPY go.sum go.sum\nCOPY third_party third_party\nRUN",
		".dockerignore": "!third_party/delta-runtime/go.sum\n",
		"go.mod":        ours + " => ./third_party/delta-runtime",
		"cmd/main.go":   "manager.AddInspector(mgr, " + inspectedUsual + ")",
		patchFile:       "+++ b/cmd/main.go\n",
	} {
		if !strings.Contains(after[name], want) {
			t.Errorf("%s does not have %s:\n%s", name, want, after[name])
		}
	}
	p.do("--undo", "-n")
	p.has(after)
	p.do("--undo")
	p.has(before)
}

// controllers is a file with some.
func controllers(names ...string) string {
	text := "package controller\n\nimport (\n\tctrl \"sigs.k8s.io/controller-runtime\"\n)\n"
	for _, name := range names {
		text += "\nfunc " + name + "(mgr *ctrl.Manager) error {\n\terr := ctrl.NewControllerManagedBy(mgr)\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n"
	}
	return text
}

// TestWhatCameSince has controllers come after the project has adopted: in files of their own, in one that is changed already, and in one
// that is made once more. The command takes them in, and all of it out.
func TestWhatCameSince(t *testing.T) {
	p := newScaffold(t, fakes)
	const crew, crews = "internal/controller/crew.go", "internal/controller/crews.go"
	p.put(crews, controllers("first"))
	p.do()
	adopted := p.files()
	if says := p.do(); !strings.HasPrefix(says, "There is no other controller") {
		t.Errorf("if nothing came since, it says %s", says)
	}
	p.has(adopted)
	p.put(crew, controllers("only"))
	p.put("cmd/second/main.go", fakes["cmd/main.go"])
	if says := p.do("-n"); !strings.Contains(says, "+++ b/"+crew) || strings.Contains(says, "/main.go") || p.files()[crew] != controllers("only") {
		t.Errorf("for a controller that came since, -n says %s", says)
	}
	if says := p.do(); !strings.Contains(says, "\nChanged: "+crew+". ") || !strings.Contains(says, "The managers stay as they are") {
		t.Errorf("for a controller that came since, it says %s", says)
	}
	p.put(crew, controllers("only", "another")) // made once more
	p.put(crews, p.files()[crews]+strings.TrimPrefix(controllers("second"), controllers()))
	p.do()
	got := p.files()
	if strings.Contains(got[crew]+got[crews], "NewControllerManagedBy") || got["cmd/second/main.go"] != fakes["cmd/main.go"] || strings.Count(got[patchFile], "diff --git") != strings.Count(adopted[patchFile], "diff --git")+1 {
		t.Errorf("the files are\n%s\n%s\n%s", got[crew], got[crews], got[patchFile])
	}
	p.put(crews, strings.ReplaceAll(got[crews], "\terr :=", "\tvar err error =")+strings.TrimPrefix(controllers("third"), controllers()))
	changed := p.files()
	if err := p.run(); err == nil || !strings.Contains(err.Error(), crews) || !strings.Contains(err.Error(), "by hand") {
		t.Errorf("for a file whose change has changed since, it says %v", err)
	}
	p.has(changed)
	p.put(crews, got[crews])
	p.do("--undo")
	if got = p.files(); requires(got["go.mod"]) || got[crew] != controllers("only", "another") || got[crews] != controllers("first", "second") || got["cmd/main.go"] != fakes["cmd/main.go"] {
		t.Errorf("afterwards the project has %v", got)
	}
}

// If go.mod has changed since, the rest is taken out, and go.mod keeps its versions.
func TestUndoOfAProjectThatWentOn(t *testing.T) {
	p := newScaffold(t, fakes)
	p.do("--inspector=none")
	after := p.files()
	if strings.Contains(after["cmd/main.go"], "AddInspector") || !strings.Contains(after["cmd/main.go"], "Configure") {
		t.Errorf("without an inspector main.go is %s", after["cmd/main.go"])
	}
	p.put("go.mod", strings.ReplaceAll(after["go.mod"], "v0.0.0", "v0.1.0"))
	says, got := p.do("--undo"), p.files()
	if text := got["go.mod"]; strings.Contains(text, ours) || !strings.Contains(text, "v0.1.0") || !strings.Contains(says, "except for go.mod") {
		t.Errorf("go.mod is %s, and it says %s", text, says)
	}
	delete(got, "go.sum")
	got["go.mod"] = fakes["go.mod"]
	if !maps.Equal(got, fakes) {
		t.Errorf("afterwards the project has %v", got)
	}
}

// If a changed line has changed since, --undo does nothing.
func TestUndoOfALineThatHasChanged(t *testing.T) {
	p := newScaffold(t, fakes)
	p.do()
	p.put("cmd/main.go", strings.Replace(p.files()["cmd/main.go"], "manager.Configure(&options)", "manager.Configure(&options, nil)", 1))
	before := p.files()
	if err := p.run("--undo"); err == nil || !strings.Contains(err.Error(), "cmd/main.go") || !strings.Contains(err.Error(), "nothing is changed") {
		t.Errorf("the error is %v", err)
	}
	p.has(before)
}

// If the project does not build with the change, nothing is changed.
func TestNothingIsChangedIfItDoesNotBuild(t *testing.T) {
	for name, of := range map[string]struct{ path, text, want string }{
		"for the change":            {"third_party/delta-runtime/pkg/inspect/i.go", "package inspect\n\ntype Options struct{}\n", "nothing is changed"},
		"for another reason":        {"cmd/more.go", "package main\n\nvar x int = \"\"\n", "the project does not build as it is"},
		"for a line by hand":        {"cmd/main.go", head(ctrlImport) + "\nvar m, err = ctrl.NewManager(nil, ctrl.Options{})\n\nfunc main() { os.Exit(1) }\n", "by hand"},
		"for what is not Go":        {"cmd/more.go", "package", "cmd/more.go:1:8"},
		"for go.mod":                {"go.mod", "module x y\n", "go.mod"},
		"for what is there already": {"go.mod", fakes["go.mod"] + "\nrequire " + ours + " v0.0.0\n", "already"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newScaffold(t, fakes)
			p.put(of.path, of.text)
			before := p.files()
			if err := p.run(); err == nil || !strings.Contains(err.Error(), of.want) {
				t.Errorf("the error is %v, want %s", err, of.want)
			}
			p.has(before)
		})
	}
}

// A user who has seen enough while it builds finds the project as it was.
func TestInterrupted(t *testing.T) {
	s := newScaffold(t, fakes)
	p, err := open(s.dir, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.first(t.Context(), &choices{inspector: usual})
	if err == nil {
		err = p.write(c.after)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.withdraw(ctx, c.before, p.builds(ctx, c.after)); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "build") {
		t.Errorf("the error is %v", err)
	}
	s.has(fakes)
}

func TestBadArguments(t *testing.T) {
	empty := t.TempDir()
	for want, args := range map[string][]string{
		"one project at a time":             {empty, empty},
		"is not the top folder of a":        {empty},
		"flag provided but not defined: -x": {"-x"},
	} {
		if err := run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %s", args, err, want)
		}
	}
	p := newScaffold(t, contents{"go.mod": "module x\n"})
	for _, place := range []string{"0.0.0.0:8082", "8082", "127.0.0.1:", "somewhere"} {
		if err := p.run("-inspector", place); err == nil || !strings.Contains(err.Error(), "metrics, none, or localhost") {
			t.Errorf("%s: the error is %v", place, err)
		}
	}
	if err := p.run("--undo"); err == nil || !strings.Contains(err.Error(), patchFile) {
		t.Errorf("without the patch --undo says %v", err)
	}
}

func TestPlugin(t *testing.T) {
	ask := func(asked string) (answer response) {
		t.Helper()
		var out, diff bytes.Buffer
		if err := servePlugin(t.Context(), strings.NewReader(asked), &out, &diff); err != nil {
			t.Fatalf("%s: %v", asked, err)
		}
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
			t.Fatalf("%s: %v", asked, err)
		}
		return answer
	}
	if a := ask(`{"apiVersion":"v1alpha1","command":"metadata","args":["--edit"],"universe":{}}`); a.Error || !strings.Contains(a.Metadata.Examples, "--undo") {
		t.Errorf("it says of itself %+v", a)
	}
	if a := ask(`{"apiVersion":"v1alpha1","command":"flags","args":["--edit"]}`); len(a.Flags) != 2 || a.Flags[1] != (pluginFlag{"undo", "bool", "false", "take out what was put in"}) {
		t.Errorf("its flags are %+v", a)
	}
	for asked, want := range map[string]string{
		`{"apiVersion":"v2","command":"edit"}`:                           `kubebuilder speaks "v2"`,
		`{"apiVersion":"v1alpha1","command":"init"}`:                     `nothing to do for "init"`,
		`{"apiVersion":"v1alpha1","command":"edit","args":["--x"]}`:      "not defined: -x",
		`{"apiVersion":"v1alpha1","command":"edit","args":["--undo"]}`:   "is not the top folder",
		`{"apiVersion":"v1alpha1","command":"edit","universe":{"a":"b"}`: "unexpected EOF",
	} {
		if a := ask(asked); !a.Error || len(a.ErrorMsgs) != 1 || !strings.Contains(a.ErrorMsgs[0], want) {
			t.Errorf("%s: the answer is %+v, want %s", asked, a, want)
		}
	}
}
