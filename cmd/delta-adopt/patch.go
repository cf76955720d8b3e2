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
	command := exec.CommandContext(ctx, "git", "diff", "--no-index", "--no-prefix", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "-U3", "a", "b")
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

func (p *project) reverse(ctx context.Context, except ...string) (string, error) {
	return p.command(ctx, "git", append(append([]string{"apply", "--reverse", "--whitespace=nowarn"}, except...), patchFile)...)
}

// unpatched returns a file without a change that is in it.
func (*project) unpatched(ctx context.Context, path, text, section string) (string, error) {
	scratch, err := os.MkdirTemp("", "delta-adopt")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	only := &project{dir: scratch}
	files := contents{path: text, patchFile: section}
	if err := only.write(files); err != nil {
		return "", err
	}
	if out, err := only.reverse(ctx); err != nil {
		return "", fmt.Errorf("take the change out of %s: %w\n%s", path, err, out)
	}
	err = only.readInto(files, path)
	return files[path], err
}

// cutSection takes the change of one file out of a patch.
func cutSection(patch, path string) (section, rest string) {
	const begin = "diff --git "
	for _, one := range strings.SplitAfter(strings.ReplaceAll(patch, "\n"+begin, "\n\x00"+begin), "\x00") {
		one = strings.TrimSuffix(one, "\x00")
		if strings.HasPrefix(one, begin+"a/"+path+" b/"+path+"\n") {
			section += one
		} else {
			rest += one
		}
	}
	return section, rest
}
