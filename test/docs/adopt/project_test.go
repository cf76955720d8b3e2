package adopt

import (
	"bytes"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/docblocks"
)

const scaffolded = "testdata/guestbook"

// project is a project that adopts our parts.
type project struct {
	t      *testing.T
	folder string
	env    []string // its own environment

	kubebuilder string // the program
	config      string // what the page calls ~/.config
}

// scaffold is a copy of the guestbook.
func scaffold(t *testing.T) *project {
	t.Helper()
	p := &project{t: t, folder: t.TempDir()}
	must(t, os.CopyFS(p.folder, os.DirFS(scaffolded)))
	return p
}

// command prepares a command in the project, without the settings of this repository.
func (p *project) command(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(p.t.Context(), name, args...) //nolint:gosec // what the pages say
	c.Dir = p.folder
	c.Env = append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "KUBEBUILDER_ASSETS="+assets(p.t)), p.env...)
	return c
}

func (p *project) run(c *exec.Cmd) string {
	p.t.Helper()
	start := time.Now()
	out, err := c.CombinedOutput()
	p.t.Logf("%s: %v", strings.Join(c.Args, " "), time.Since(start).Round(time.Millisecond))
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", c, err, out)
	}
	return string(out)
}

func (p *project) read(file string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.folder, file))
	must(p.t, err)
	return string(text)
}

func (p *project) write(file, text string) {
	p.t.Helper()
	must(p.t, os.WriteFile(filepath.Join(p.folder, file), []byte(text), 0o600))
}

func (p *project) apply(file string, hunks []docblocks.Hunk) {
	p.t.Helper()
	text, err := applied(p.read(file), hunks)
	if err != nil {
		p.t.Fatalf("%s: %v", file, err)
	}
	p.write(file, text)
}

// told runs the first command of the guide that begins with form.
func (p *project) told(form string) {
	p.t.Helper()
	commands, err := docblocks.Commands(read(p.t, guide))
	must(p.t, err)
	at := slices.IndexFunc(commands, func(c docblocks.Command) bool { return strings.HasPrefix(c.Text, form) })
	if at < 0 {
		p.t.Fatalf("%s does not have the command %q", guide, form)
	}
	words := strings.Fields(commands[at].Text)
	p.run(p.command(words[0], words[1:]...))
}

// changes returns the changes of the level's steps, in the order of the steps.
func (l *level) changes(t *testing.T) (all []change) {
	t.Helper()
	for _, s := range l.steps {
		all = append(all, s.changes(t)...)
	}
	return all
}

// takeUp applies the changes of the level.
func (p *project) takeUp(l level) {
	p.t.Helper()
	if l.steps == nil {
		return
	}
	here, err := filepath.Abs(root)
	must(p.t, err)
	p.told("go mod edit -require ")
	p.run(p.command("go", "mod", "edit", "-replace", module+"="+here)) // instead of a clone, so that the build cache can be used
	for _, c := range l.changes(p.t) {
		p.t.Logf("%s:%d changes %s", c.page, c.line, c.file)
		p.apply(c.file, c.hunks)
	}
	p.told("go mod tidy")
}

// check formats, builds and tidies the project, and expects no changes.
func (p *project) check() {
	p.t.Helper()
	for file, text := range files(p.t, p.folder) {
		if !strings.HasSuffix(file, ".go") {
			continue
		}
		if formatted, err := format.Source([]byte(text)); err != nil || !bytes.Equal(formatted, []byte(text)) {
			p.t.Errorf("%s is not as gofmt would have it (error %v)", file, err)
		}
	}
	p.run(p.command("go", "build", "./..."))
	p.run(p.command("go", "mod", "tidy", "-diff"))
}

// leave reverts everything, the last step first.
func (p *project) leave(l level) {
	p.t.Helper()
	if l.steps == nil {
		return
	}
	for _, c := range slices.Backward(l.changes(p.t)) {
		p.apply(c.file, reversed(c.hunks))
	}
	p.told("go mod tidy")
	p.told("go mod edit -dropreplace ")
}

// compare checks that the project is byte for byte the same as the folder.
func (p *project) compare(folder string) {
	p.t.Helper()
	got, want := files(p.t, p.folder), files(p.t, folder)
	if g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(g, w) {
		p.t.Errorf("the project has the files %q, want %q", g, w)
	}
	for file := range want {
		if got[file] != want[file] {
			p.t.Errorf("%s is not what it was:\n%s", file, got[file])
		}
	}
}

// files returns the contents of the files in a folder, by path.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	tree := os.DirFS(folder)
	err := fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(tree, path)
		found[path] = string(text)
		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("%d files in %s, error %v", len(found), folder, err)
	}
	return found
}

// follow runs the commands of a section of the guide, in its order.
func (p *project) follow(section string) {
	p.t.Helper()
	blocks, err := docblocks.Parse(read(p.t, guide))
	must(p.t, err)
	ran := 0
	for _, b := range blocks {
		switch {
		case b.Section != section:
		case !b.Fenced:
			for line := range strings.Lines(b.Text) {
				words := strings.Fields(strings.ReplaceAll(line, "~/.config/", p.config+"/"))
				if words[0] == "kubebuilder" {
					words[0] = p.kubebuilder
				}
				p.run(p.command(words[0], words[1:]...))
				ran++
			}
		default:
			p.t.Fatalf("%s:%d: a reader can't follow this block: it has no commands", guide, b.Line)
		}
	}
	if ran == 0 {
		p.t.Fatalf("%s has nothing to do under %q", guide, section)
	}
}

// identity configures git: this tree is the repository that the page clones, and commits have
// an author.
func identity(t *testing.T) []string {
	t.Helper()
	settings := [][2]string{
		{"url.file://" + filepath.ToSlash(publish(t)) + ".insteadOf", "https://" + module},
		{"protocol.file.allow", "always"},
		{"user.name", "adopter"},
		{"user.email", "adopter@my.domain"},
	}
	env := []string{"GIT_CONFIG_COUNT=" + string(rune('0'+len(settings)))}
	for i, s := range settings {
		n := string(rune('0' + i))
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s[0], "GIT_CONFIG_VALUE_"+n+"="+s[1])
	}
	return env
}

// publish makes a repository from this tree, with the changes that are not committed yet.
func publish(t *testing.T) (folder string) {
	t.Helper()
	here := &project{t: t, folder: root}
	out := &project{t: t, folder: t.TempDir(), env: []string{
		"GIT_AUTHOR_NAME=owner", "GIT_AUTHOR_EMAIL=owner@my.domain", "GIT_COMMITTER_NAME=owner", "GIT_COMMITTER_EMAIL=owner@my.domain",
	}}
	for file := range strings.Lines(here.run(here.command("git", "ls-files", "--cached", "--others", "--exclude-standard"))) {
		file = strings.TrimSuffix(file, "\n")
		if about, err := os.Lstat(filepath.Join(root, file)); err == nil && !about.Mode().IsRegular() {
			continue // a link to tools that were built elsewhere
		}
		text, err := os.ReadFile(filepath.Join(root, file)) //nolint:gosec // paths of this repository
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		must(t, err)
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(out.folder, file)), 0o700))
		out.write(file, string(text))
	}
	out.commit()
	return out.folder
}
