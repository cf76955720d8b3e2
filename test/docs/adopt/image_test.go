package adopt

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// image does what the project's Dockerfile says, as far as that is possible without a
// container engine: it copies the files that .dockerignore allows, and builds the program
// from them.
func (p *project) image() (binary string) {
	p.t.Helper()
	in := &project{t: p.t, folder: p.t.TempDir()}
	ignored := ignores(p.read(".dockerignore"))
	for line := range strings.Lines(p.read("Dockerfile")) {
		words := strings.Fields(line)
		switch {
		case len(words) == 3 && words[0] == "COPY":
			p.copyTo(in, words[1], ignored)
		case strings.TrimSpace(line) == "RUN go mod download":
			in.run(in.command("go", "list", "-m", "all")) // it needs the same go.mod files, and no downloads
		case len(words) > 0 && words[0] == "RUN":
			in.run(in.command("go", "build", "-ldflags=-s -w", "-o", "manager", "cmd/main.go"))
		}
	}
	if !strings.Contains(p.read("Dockerfile"), "go build -a -o manager cmd/main.go\n") {
		p.t.Error("the Dockerfile has another build command now")
	}
	return filepath.Join(in.folder, "manager")
}

// copyTo copies the files in a part of the project that are not ignored.
func (p *project) copyTo(to *project, part string, ignored func(string) bool) {
	p.t.Helper()
	err := filepath.WalkDir(filepath.Join(p.folder, part), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := filepath.Rel(p.folder, path)
		if err != nil || ignored(filepath.ToSlash(file)) {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to.folder, file)), 0o700); err != nil {
			return err
		}
		to.write(file, p.read(file))
		return nil
	})
	must(p.t, err)
}

// ignores applies a .dockerignore: the last pattern that matches decides.
func ignores(text string) func(file string) bool {
	type rule struct {
		pattern *regexp.Regexp
		ignore  bool
	}
	var rules []rule
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, found := strings.CutPrefix(line, "!")
		pattern = strings.NewReplacer(`\*\*/`, `(?:.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`).Replace(regexp.QuoteMeta(pattern))
		rules = append(rules, rule{regexp.MustCompile(`^(?:` + pattern + `)$`), !found})
	}
	return func(file string) (ignore bool) {
		for _, r := range rules {
			if r.pattern.MatchString(file) {
				ignore = r.ignore
			}
		}
		return ignore
	}
}

func TestIgnores(t *testing.T) {
	ignored := ignores("# all\n**\n\n!**/*.go\n**/*_test.go\n!go.mod\n!a/b/go.mod\n")
	for file, want := range map[string]bool{
		"main.go": false, "a/b/main.go": false, "a/b/main_test.go": true, "go.mod": false, "a/go.mod": true, "a/b/go.mod": false, "README.md": true,
	} {
		if got := ignored(file); got != want {
			t.Errorf("%s is ignored: %t, want %t", file, got, want)
		}
	}
}
