package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// diff returns a patch for git.
func (*project) diff(ctx context.Context, c *change) (string, error) {
	scratch, err := os.MkdirTemp("", "delta-adopt")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	a, b, both := &project{dir: filepath.Join(scratch, "a")}, &project{dir: filepath.Join(scratch, "b")}, &project{dir: scratch}
	if err := errors.Join(a.write(c.before), b.write(c.after)); err != nil {
		return "", err
	}
	if c.had != "" {
		if err := a.reverse(ctx, c.had); err != nil {
			return "", fmt.Errorf("nothing is changed, because lines that were put in have changed since; make the other controllers of these files by our builder by hand: %w", err)
		}
	}
	patch, err := both.command(ctx, "", "git", "-c", "core.quotePath=false", "diff", "--no-index", "--no-prefix", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "-U3", "a", "b")
	if exit, exited := errors.AsType[*exec.ExitError](err); exited && exit.ExitCode() == 1 {
		return patch, nil // there are differences
	}
	return patch, err
}

// reverse takes a patch out, all of it or nothing.
func (p *project) reverse(ctx context.Context, patch string, args ...string) error {
	_, err := p.command(ctx, patch, "git", append([]string{"apply", "--reverse", "--whitespace=nowarn"}, args...)...)
	return err
}

// section is the part of a patch that changes one file.
type section struct{ path, text string }

// standing returns the parts of a patch whose files still have something of ours: a file that was deleted or made once more has nothing
// to take out.
func (p *project) standing(patch string) (all []section, err error) {
	const begin = "diff --git "
	for _, text := range strings.Split("\n"+patch, "\n"+begin)[1:] {
		first, _, _ := strings.Cut(text, "\n")
		path := strings.TrimPrefix(first[:len(first)/2], "a/") // "a/path b/path"
		file, err := p.read(path)
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(path, ".go") || isUser(file[path]) {
			all = append(all, section{path, begin + strings.TrimSuffix(text, "\n") + "\n"})
		}
	}
	return all, nil
}

// isUser reports whether a Go file imports a package of ours.
func isUser(text string) bool { return strings.Contains(text, `"`+ours+`/`) }

func join(sections []section) string {
	var text strings.Builder
	for _, s := range sections {
		text.WriteString(s.text)
	}
	return text.String()
}
