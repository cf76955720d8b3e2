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
func (p *project) diff(ctx context.Context, before, after contents) ([]byte, error) {
	scratch, err := os.MkdirTemp("", "delta-adopt")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	for side, files := range map[string]contents{"a": before, "b": after} {
		if err := (&project{dir: filepath.Join(scratch, side)}).write(files); err != nil {
			return nil, err
		}
	}
	command := exec.CommandContext(ctx, "git", "-c", "core.quotePath=false", "diff", "--no-index", "--no-prefix", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "-U3", "a", "b")
	command.Dir = scratch
	patch, err := command.Output()
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil, exited && exit.ExitCode() == 1: // there are differences
		return patch, nil
	case exited:
		err = fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return nil, fmt.Errorf("compare the files by git: %w", err)
}

// reverse takes a patch out, all of it or nothing.
func (p *project) reverse(ctx context.Context, patch string, args ...string) (string, error) {
	file, err := os.CreateTemp("", "delta-adopt")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.WriteString(patch)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	return p.command(ctx, "git", append(append([]string{"apply", "--reverse", "--whitespace=nowarn"}, args...), file.Name())...)
}

// unpatched returns a file without a change that is in it.
func (*project) unpatched(ctx context.Context, path, text, section string) (string, error) {
	scratch, err := os.MkdirTemp("", "delta-adopt")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	only := &project{dir: scratch}
	files := contents{path: text}
	if err := only.write(files); err != nil {
		return "", err
	}
	if out, err := only.reverse(ctx, section); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	err = only.readInto(files, path)
	return files[path], err
}

// section is the part of a patch that changes one file.
type section struct{ path, text string }

func sectionsOf(patch string) (all []section) {
	const begin = "diff --git "
	for _, text := range strings.Split("\n"+patch, "\n"+begin)[1:] {
		first, _, _ := strings.Cut(text, "\n")
		path := strings.TrimPrefix(first[:len(first)/2], "a/") // "a/path b/path"
		all = append(all, section{path, begin + strings.TrimSuffix(text, "\n") + "\n"})
	}
	return all
}

// standing returns the parts of a patch whose files still have something of ours: a file that was deleted or made once more has nothing
// to take out.
func (p *project) standing(patch string) (all []section, err error) {
	for _, s := range sectionsOf(patch) {
		file := contents{}
		if err := p.readInto(file, s.path); err != nil {
			return nil, err
		}
		if !strings.HasSuffix(s.path, ".go") || isUser(file[s.path]) {
			all = append(all, s)
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
