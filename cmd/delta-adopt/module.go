package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// ours is the path of our module.
const ours = "github.com/delta-runtime/delta-runtime"

// clonePath is where a clone of our module is in a project.
const clonePath = "third_party/delta-runtime"

// module is where a project gets our module from: a version that is released, or a clone.
type module struct {
	version string
	clone   string // empty if there is a version
}

// findModule looks for a clone in the project, then for the clone that this program is built from.
func findModule(project string) (module, error) {
	if isOurs(filepath.Join(project, clonePath)) {
		return module{version: "v0.0.0", clone: "./" + clonePath}, nil
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == ours && isReleased(info.Main.Version) {
		return module{version: info.Main.Version}, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return module{}, err
	}
	for ; !isOurs(here); here = filepath.Dir(here) {
		if here == filepath.Dir(here) {
			return module{}, fmt.Errorf("there is no clone of %s in %s: git submodule add https://%s %s", ours, project, ours, clonePath)
		}
	}
	return module{version: "v0.0.0", clone: here}, nil
}

// isReleased leaves out what go calls a program of uncommitted or untagged source.
func isReleased(version string) bool {
	return strings.HasPrefix(version, "v") && strings.Count(version, "-") < 2 && !strings.Contains(version, "+")
}

func isOurs(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod")) //nolint:gosec // a folder of the user's
	return err == nil && strings.HasPrefix(string(text), "module "+ours+"\n")
}

// module returns go.mod with our module, and what has to know of a clone in the project.
func (p *project) module(ctx context.Context) (contents, error) {
	m, err := findModule(p.dir)
	if err != nil {
		return nil, err
	}
	edits := []string{"-require=" + ours + "@" + m.version}
	if m.clone != "" {
		edits = append(edits, "-replace="+ours+"="+m.clone)
	}
	changed := contents{}
	if err := p.readInto(changed, "go.mod"); err != nil {
		return nil, err
	}
	if requires(changed["go.mod"]) {
		return nil, fmt.Errorf("go.mod requires %s already: take out what was put in by hand first", ours)
	}
	mod, err := p.command(ctx, "go", append([]string{"mod", "edit", "-print"}, edits...)...)
	if err != nil {
		return nil, fmt.Errorf("add %s to go.mod: %w\n%s", ours, err, mod)
	}
	changed["go.mod"] = mod
	if err := p.readInto(changed, "go.sum"); err != nil { // go mod tidy changes it
		return nil, err
	}
	if m.clone != "./"+clonePath {
		return changed, nil
	}
	for path, edit := range map[string]func(string) string{"Makefile": p.narrowed, "Dockerfile": copied, ".dockerignore": let} {
		text, err := os.ReadFile(p.path(path))
		if err != nil {
			continue // a project that has none needs none
		}
		if after := edit(string(text)); after != string(text) {
			changed[path] = after
		}
	}
	return changed, nil
}

// requires reports whether a go.mod requires our module.
func requires(mod string) bool {
	return strings.Contains(mod, "\t"+ours+" v") || strings.Contains(mod, "require "+ours+" ")
}

// dropModule takes our module out of a go.mod that has changed since.
func (p *project) dropModule(ctx context.Context) error {
	for _, args := range [][]string{{"mod", "edit", "-droprequire=" + ours, "-dropreplace=" + ours}, {"mod", "tidy"}} {
		if out, err := p.command(ctx, "go", args...); err != nil {
			return fmt.Errorf("nothing is changed, because without it go %s fails: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// narrowed has controller-gen read the project's folders, and not the clone with its sample operator.
func (p *project) narrowed(makefile string) string {
	sources, err := p.sources()
	if err != nil || len(sources) == 0 {
		return makefile
	}
	folders := map[string]bool{}
	for name := range sources {
		if folder, _, inside := strings.Cut(name, "/"); inside {
			folders[`paths="./`+folder+`/..."`] = true
		} else {
			folders[`paths="."`] = true
		}
	}
	paths := slices.Sorted(maps.Keys(folders))
	lines := strings.SplitAfter(makefile, "\n")
	for i, line := range lines {
		if strings.Contains(line, "CONTROLLER_GEN") && !strings.Contains(line, "cd ") { // from another folder it does not see the clone
			lines[i] = strings.Replace(line, `paths="./..."`, strings.Join(paths, " "), 1)
		}
	}
	return strings.Join(lines, "")
}

// copied has the image's builder see the clone before it downloads the modules.
func copied(dockerfile string) string {
	return after(dockerfile, "COPY go.sum go.sum\n", "COPY third_party third_party\n")
}

// let lets the clone's files into the image's context.
func let(dockerignore string) string {
	return after(dockerignore, "!go.sum\n", "!"+clonePath+"/go.mod\n!"+clonePath+"/go.sum\n!"+
		clonePath+"/tracing/go.mod\n!"+clonePath+"/internal/inspect/inspector/**\n")
}

// after returns text with more after the first line like this one.
func after(text, line, more string) string {
	before, rest, found := strings.Cut("\n"+text, "\n"+line)
	if !found || strings.HasPrefix(rest, more) {
		return text
	}
	return (before + "\n" + line + more + rest)[1:]
}
