package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// patchFile is what --undo applies in reverse. It belongs into the project's repository.
const patchFile = ".delta-adopt.patch"

// project is a Go module on disk.
type project struct {
	dir string
	out io.Writer
}

func open(dir string, out io.Writer) (*project, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		return nil, fmt.Errorf("%s is not the top folder of a Go module: %w", dir, err)
	}
	return &project{dir: dir, out: out}, nil
}

func (p *project) do(ctx context.Context, c *choices) error {
	if c.undo {
		return p.undo(ctx, c)
	}
	return p.adopt(ctx, c)
}

// contents are files by their paths in the project, with slashes.
type contents map[string]string

// adopt makes the change, and puts everything back if the project does not build with it.
func (p *project) adopt(ctx context.Context, c *choices) error {
	again, had, err := p.hasAdopted()
	if err != nil {
		return err
	}
	if again {
		return p.adoptMore(ctx, c, had)
	}
	before, after, found, err := p.edited(ctx, c)
	if err != nil {
		return err
	}
	if c.only {
		return p.show(ctx, before, after, leftAlone(found.left))
	}
	return p.make(ctx, &change{before, after, ""}, p.vendored()+c.page()+leftAlone(found.left))
}

// adoptMore takes in the controllers that came since. A file that is changed once more has one change in the patch all the same, from
// how it would be without us to how it is now.
func (p *project) adoptMore(ctx context.Context, c *choices, had string) error {
	sources, err := p.sources()
	if err != nil {
		return err
	}
	found, err := editSources(sources, onlyControllers)
	if err != nil {
		return err
	}
	before := contents{}
	for path := range found.changed {
		before[path] = sources[path]
	}
	const managers = "The managers stay as they are: for another one, or for another place of the inspector, run with --undo first.\n"
	switch {
	case len(found.changed) == 0:
		_, err := io.WriteString(p.out, "There is no other controller to change. "+managers)
		return err
	case c.only:
		return p.show(ctx, before, found.changed, managers)
	}
	sections, err := p.standing(had)
	if err != nil {
		return err
	}
	var rest []section
	for _, s := range sections {
		if _, changes := found.changed[s.path]; !changes {
			rest = append(rest, s)
			continue
		}
		if before[s.path], err = p.unpatched(ctx, s.path, before[s.path], s.text); err != nil {
			return fmt.Errorf("nothing is changed, because lines that were put into %s have changed since; make its other controllers by our builder by hand: %w", s.path, err)
		}
	}
	return p.make(ctx, &change{before, found.changed, join(rest)}, managers+p.vendored())
}

// hasAdopted reports whether the project has our module and the patch, which it returns.
func (p *project) hasAdopted() (bool, string, error) {
	files := contents{}
	if err := errors.Join(p.readInto(files, patchFile), p.readInto(files, "go.mod")); err != nil {
		return false, "", err
	}
	return files[patchFile] != "" && requires(files["go.mod"]), files[patchFile], nil
}

// show prints the change and more.
func (p *project) show(ctx context.Context, before, after contents, more string) error {
	patch, err := p.diff(ctx, before, after)
	if err == nil {
		_, err = io.WriteString(p.out, string(patch)+more)
	}
	return err
}

// change is what files become.
type change struct {
	before, after contents
	rest          string // what the patch has of other files
}

// make writes the files and the patch, if the project builds with them.
func (p *project) make(ctx context.Context, c *change, more string) error {
	now := contents{}
	for _, path := range slices.Concat(slices.Collect(maps.Keys(c.after)), []string{"go.mod", "go.sum", patchFile}) {
		if err := p.readInto(now, path); err != nil {
			return err
		}
	}
	if err := p.write(c.after); err != nil {
		return errors.Join(err, p.restore(now))
	}
	if err := p.builds(ctx, c.after); err != nil {
		return p.withdraw(ctx, now, err)
	}
	patch, err := p.diff(ctx, c.before, c.after)
	if err == nil {
		err = p.write(contents{patchFile: c.rest + string(patch)})
	}
	if err != nil {
		return errors.Join(err, p.restore(now))
	}
	text := fmt.Sprintf("%s\nChanged: %s. %s has the change, and --undo needs it: commit it, too.\n",
		patch, strings.Join(slices.Sorted(maps.Keys(c.after)), ", "), patchFile)
	_, err = io.WriteString(p.out, text+more)
	return err
}

// vendored says what to do with a vendor folder.
func (p *project) vendored() string {
	if _, err := os.Stat(p.path("vendor/modules.txt")); err != nil {
		return ""
	}
	return "Run go mod vendor now, and after --undo.\n"
}

// page says where the inspector is.
func (c *choices) page() string {
	switch {
	case c.inspector == "none":
		return ""
	case c.inspector == "metrics":
		return "Run the operator, and look at /delta/ beside its metrics.\n"
	case strings.HasSuffix(string(c.inspector), ":0"):
		return "Run the operator, and open the address of the page that it logs.\n"
	}
	return fmt.Sprintf("Run the operator, and open http://%s/delta/\n", c.inspector)
}

// leftAlone says which managers stay as they are.
func leftAlone(left []string) string {
	if len(left) == 0 {
		return ""
	}
	return "\nThese managers stay as they are:\n" + strings.Join(left, "\n") + "\n"
}

// edited returns the files that change, before and after, and what was found in the sources.
func (p *project) edited(ctx context.Context, c *choices) (before, after contents, found *findings, err error) {
	sources, err := p.sources()
	if err != nil {
		return nil, nil, nil, err
	}
	if path := userIn(sources); path != "" {
		return nil, nil, nil, fmt.Errorf("%s imports %s already, and there is no change that --undo would take out: put go.mod or %s back, or take it out by hand first", path, ours, patchFile)
	}
	found, err = editSources(sources, c.inspector)
	if err != nil {
		return nil, nil, nil, err
	}
	after, err = p.module(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	maps.Copy(after, found.changed)
	before = contents{}
	for path := range after {
		if err := p.readInto(before, path); err != nil {
			return nil, nil, nil, err
		}
	}
	return before, after, found, nil
}

// readInto reads a file, if it is there.
func (p *project) readInto(files contents, path string) error {
	text, err := os.ReadFile(p.path(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		delete(files, path)
		return nil
	case err != nil:
		return err
	}
	files[path] = string(text)
	return nil
}

// builds has go tidy and build the project, and reads what go has changed in its files. A vendor folder is out of date by then. If
// go.mod is not part of the change there is nothing to tidy.
func (p *project) builds(ctx context.Context, after contents) error {
	if _, changes := after["go.mod"]; !changes {
		return p.build(ctx)
	}
	if out, err := p.command(ctx, "go", "mod", "tidy"); err != nil {
		return fmt.Errorf("go mod tidy fails: %w\n%s", err, out)
	}
	if err := p.build(ctx); err != nil {
		return err
	}
	return errors.Join(p.readInto(after, "go.mod"), p.readInto(after, "go.sum"))
}

func (p *project) build(ctx context.Context) error {
	if out, err := p.command(ctx, "go", "build", "-mod=mod", "-o", os.DevNull, "./..."); err != nil {
		return fmt.Errorf("go build fails: %w\n%s", err, out)
	}
	return nil
}

// withdraw puts the files back, and says whether the change is to blame.
func (p *project) withdraw(ctx context.Context, before contents, why error) error {
	if err := p.restore(before); err != nil {
		return errors.Join(why, err)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("nothing is changed: %w", ctx.Err())
	}
	if err := p.build(ctx); err != nil {
		return fmt.Errorf("the project does not build as it is: %w", err)
	}
	return fmt.Errorf("nothing is changed, because with the change, which raises what go.mod requires to our versions, %w", why)
}

// skipped are folders whose Go files are not the operator's.
var skipped = []string{"vendor", "testdata", "third_party", "node_modules"}

// sources returns the Go files of the module that are not tests.
func (p *project) sources() (contents, error) {
	found, files := contents{}, os.DirFS(p.dir)
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (name[0] == '.' || name[0] == '_' || slices.Contains(skipped, name) || isModule(p.path(path))):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(files, path)
		found[path] = string(text)
		return err
	})
	return found, err
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func (p *project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// write writes files. Those that are there keep their modes.
func (p *project) write(files contents) error {
	for path, text := range files {
		at := p.path(path)
		if err := os.MkdirAll(filepath.Dir(at), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil { //nolint:gosec // a file of the repository
			return err
		}
	}
	return nil
}

// restore writes files as they were. A project that had no go.sum or patch has none.
func (p *project) restore(before contents) error {
	for _, path := range []string{"go.sum", patchFile} {
		if _, had := before[path]; !had {
			_ = os.Remove(p.path(path))
		}
	}
	return p.write(before)
}

func (p *project) command(ctx context.Context, name string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = p.dir
	// git would take the patch's paths for those of a repository that the project is a folder of.
	command.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(p.dir))
	out, err := command.CombinedOutput()
	return string(out), err
}
