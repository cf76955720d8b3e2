package main

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
)

// ours is the path of our module.
const ours = "github.com/delta-runtime/delta-runtime"

// clonePath is where a clone of our module is in a project.
const clonePath = "third_party/delta-runtime"

// requirement returns how go mod edit requires our module: as the clone in the project or, without one, as the version of this program.
func (p *project) requirement() (edits []string, cloned bool, err error) {
	const mod = clonePath + "/go.mod"
	files, err := p.read(mod)
	if err != nil {
		return nil, false, err
	}
	if strings.HasPrefix(files[mod], "module "+ours+"\n") {
		return []string{"-require=" + ours + "@v0.0.0", "-replace=" + ours + "=./" + clonePath}, true, nil
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == ours && isReleased(info.Main.Version) {
		return []string{"-require=" + ours + "@" + info.Main.Version}, false, nil
	}
	return nil, false, fmt.Errorf("there is no clone of %s in %s: git submodule add https://%s %s", ours, p.dir, ours, clonePath)
}

// isReleased leaves out what go calls a program of uncommitted or untagged source.
func isReleased(version string) bool {
	return strings.HasPrefix(version, "v") && strings.Count(version, "-") < 2 && !strings.Contains(version, "+")
}

// module returns go.mod with our module, and what has to know of a clone in the project.
func (p *project) module(ctx context.Context, sources contents) (contents, error) {
	edits, cloned, err := p.requirement()
	if err != nil {
		return nil, err
	}
	changed, err := p.read("go.mod", "go.sum") // go mod tidy changes both
	if err != nil {
		return nil, err
	}
	if requires(changed["go.mod"]) {
		return nil, fmt.Errorf("go.mod requires %s already: take out what was put in by hand first", ours)
	}
	changed["go.mod"], err = p.command(ctx, "", "go", append([]string{"mod", "edit", "-print"}, edits...)...)
	if err != nil {
		return nil, fmt.Errorf("add %s to go.mod: %w", ours, err)
	}
	if !cloned {
		return changed, nil
	}
	files, err := p.read("Makefile", "Dockerfile", ".dockerignore") // a project that has none needs none
	if err != nil {
		return nil, err
	}
	edited := contents{
		"Makefile":   narrowed(files["Makefile"], sources),
		"Dockerfile": after(files["Dockerfile"], "COPY go.sum go.sum\n", "COPY third_party third_party\n"), // before it downloads the modules
		".dockerignore": after(files[".dockerignore"], "!go.sum\n", "!"+clonePath+"/go.mod\n!"+clonePath+"/go.sum\n!"+
			clonePath+"/tracing/go.mod\n!"+clonePath+"/internal/inspect/inspector/**\n"),
	}
	for path, text := range edited {
		if text != files[path] {
			changed[path] = text
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
		if _, err := p.command(ctx, "", "go", args...); err != nil {
			return fmt.Errorf("nothing is changed, because without it go %s fails: %w", strings.Join(args, " "), err)
		}
	}
	return nil
}

// narrowed has controller-gen read the project's folders, and not the clone with its sample operator.
func narrowed(makefile string, sources contents) string {
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

// after returns text with more after the first line like this one.
func after(text, line, more string) string {
	before, rest, found := strings.Cut("\n"+text, "\n"+line)
	if !found || strings.HasPrefix(rest, more) {
		return text
	}
	return (before + "\n" + line + more + rest)[1:]
}
