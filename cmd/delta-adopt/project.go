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

// do does in a project what is chosen.
func (c *choices) do(ctx context.Context, dir string, out io.Writer) error {
	p, err := open(dir, out)
	if err == nil {
		err = c.check()
	}
	switch {
	case err != nil:
		return err
	case c.undo:
		return p.undo(ctx, c)
	}
	return p.adopt(ctx, c)
}

// contents are files by their paths in the project, with slashes.
type contents map[string]string

// change is what files become.
type change struct {
	before, after contents
	had, rest     string // what the patch has already, of these files and of others
	notes         string // for the user
}

// adopt makes the change, or only shows it. It puts everything back if the project does not build with it.
func (p *project) adopt(ctx context.Context, c *choices) error {
	again, patch, err := p.hasAdopted()
	if err != nil {
		return err
	}
	var found *change
	if again {
		found, err = p.later(patch)
	} else {
		found, err = p.first(ctx, c)
	}
	if err != nil {
		return err
	}
	text := "There is no other controller to change. "
	switch {
	case len(found.after) == 0:
	case c.only:
		text, err = p.diff(ctx, found)
	default:
		text, err = p.make(ctx, found)
	}
	if err == nil {
		_, err = io.WriteString(p.out, text+found.notes)
	}
	return err
}

// first finds what changes in a project that has nothing of ours.
func (p *project) first(ctx context.Context, c *choices) (*change, error) {
	sources, err := p.sources()
	if err != nil {
		return nil, err
	}
	if path := userIn(sources); path != "" {
		return nil, fmt.Errorf("%s imports %s already, and there is no change that --undo would take out: put go.mod or %s back, or take it out by hand first", path, ours, patchFile)
	}
	found, err := editSources(sources, c.inspector)
	if err != nil {
		return nil, err
	}
	after, err := p.module(ctx, sources)
	if err != nil {
		return nil, err
	}
	maps.Copy(after, found.changed)
	before, err := p.read(slices.Collect(maps.Keys(after))...)
	return &change{before: before, after: after, notes: c.page() + leftAlone(found.left)}, err
}

// later finds the controllers that came since. A file that is changed once more has one change in the patch all the same, from
// how it would be without us to how it is now.
func (p *project) later(patch string) (*change, error) {
	sources, err := p.sources()
	if err != nil {
		return nil, err
	}
	found, err := editSources(sources, onlyControllers)
	if err != nil {
		return nil, err
	}
	sections, err := p.standing(patch)
	if err != nil {
		return nil, err
	}
	c := &change{before: contents{}, after: found.changed, notes: "The managers stay as they are: for another one, or for another place of the inspector, run with --undo first.\n"}
	for path := range found.changed {
		c.before[path] = sources[path]
	}
	for _, s := range sections {
		if _, changes := found.changed[s.path]; changes {
			c.had += s.text
		} else {
			c.rest += s.text
		}
	}
	return c, nil
}

// hasAdopted reports whether the project has our module and the patch, which it returns.
func (p *project) hasAdopted() (bool, string, error) {
	files, err := p.read(patchFile, "go.mod")
	return files[patchFile] != "" && requires(files["go.mod"]), files[patchFile], err
}

// make writes the files and the patch, if the project builds with them, and returns what to say.
func (p *project) make(ctx context.Context, c *change) (string, error) {
	now, err := p.read(slices.Concat(slices.Collect(maps.Keys(c.after)), []string{"go.mod", "go.sum", patchFile})...)
	if err != nil {
		return "", err
	}
	if err := p.write(c.after); err != nil {
		return "", errors.Join(err, p.restore(now))
	}
	if err := p.builds(ctx, c.after); err != nil {
		return "", p.withdraw(ctx, now, err)
	}
	patch, err := p.diff(ctx, c)
	if err == nil {
		err = p.write(contents{patchFile: c.rest + patch})
	}
	if err != nil {
		return "", errors.Join(err, p.restore(now))
	}
	return fmt.Sprintf("%s\nChanged: %s. %s has the change, and --undo needs it: commit it, too.\n",
		patch, strings.Join(slices.Sorted(maps.Keys(c.after)), ", "), patchFile), nil
}

// page says where the inspector is, if it is put in.
func (c *choices) page() string {
	switch {
	case c.only, c.inspector == "none":
		return ""
	case c.inspector == "metrics":
		return "Run the operator, and look at /delta/ beside its metrics.\n"
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

// read returns those of some files that are there.
func (p *project) read(paths ...string) (contents, error) {
	found := contents{}
	for _, path := range paths {
		text, err := os.ReadFile(p.path(path))
		switch {
		case err == nil:
			found[path] = string(text)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return found, nil
}

// builds has go tidy and build the project, and reads what go has changed in its files. A vendor folder is out of date by then. If
// go.mod is not part of the change there is nothing to tidy.
func (p *project) builds(ctx context.Context, after contents) error {
	if _, changes := after["go.mod"]; !changes {
		return p.build(ctx)
	}
	if _, err := p.command(ctx, "", "go", "mod", "tidy"); err != nil {
		return fmt.Errorf("go mod tidy fails: %w", err)
	}
	if err := p.build(ctx); err != nil {
		return err
	}
	tidied, err := p.read("go.mod", "go.sum")
	delete(after, "go.sum") // there may be none any more
	maps.Copy(after, tidied)
	return err
}

func (p *project) build(ctx context.Context) error {
	if _, err := p.command(ctx, "", "go", "build", "-mod=mod", "-o", os.DevNull, "./..."); err != nil {
		return fmt.Errorf("go build fails: %w", err)
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

// command runs a program in the project, which reads in, and returns what it writes.
func (p *project) command(ctx context.Context, in, name string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Stdin = p.dir, strings.NewReader(in)
	// git would take the patch's paths for those of a repository that the project is a folder of.
	command.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(p.dir))
	out, err := command.Output()
	if exit, failed := errors.AsType[*exec.ExitError](err); failed {
		err = fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return string(out), err
}
