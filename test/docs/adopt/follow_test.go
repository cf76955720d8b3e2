package adopt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/docblocks"
)

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
