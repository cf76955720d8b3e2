package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// undo applies the patch in reverse. It does without go.mod and go.sum if those have changed since, and without the lines around a
// change if the project builds then.
func (p *project) undo(ctx context.Context, c *choices) error {
	adopted, patch, err := p.hasAdopted()
	if err != nil {
		return err
	}
	if patch == "" {
		return fmt.Errorf("the change is not known any more: there is no %s", patchFile)
	}
	if c.only {
		_, err := io.WriteString(p.out, patch)
		return err
	}
	text := "The project has nothing of delta-runtime.\n"
	sources, err := p.sources()
	if err == nil && (adopted || userIn(sources) != "") {
		text, err = p.takeOut(ctx, patch)
	}
	if err == nil {
		err = os.Remove(p.path(patchFile))
	}
	if err == nil {
		_, err = io.WriteString(p.out, text)
	}
	return err
}

// takeOut returns what it has done.
func (p *project) takeOut(ctx context.Context, patch string) (string, error) {
	sections, err := p.standing(patch)
	if err != nil {
		return "", err
	}
	if p.reverse(ctx, join(sections)) == nil {
		return "The project is as it was.\n", nil
	}
	paths := []string{"go.mod", "go.sum", patchFile}
	for _, s := range sections {
		paths = append(paths, s.path)
	}
	now, err := p.read(paths...)
	if err != nil {
		return "", err
	}
	rest := join(slices.DeleteFunc(sections, func(s section) bool { return s.path == "go.mod" || s.path == "go.sum" }))
	failed := p.reverse(ctx, rest)
	if failed != nil && p.reverse(ctx, rest, "-C0") != nil {
		return "", fmt.Errorf("nothing is changed, because lines that were put in have changed since; take them out of these files by hand: %w", failed)
	}
	err = p.dropModule(ctx)
	if err == nil && failed != nil {
		err = p.build(ctx)
	}
	if err != nil {
		return "", errors.Join(err, p.restore(now))
	}
	return "The project is as it was, except for go.mod and go.sum. They have changed since, so they keep their versions.\n", nil
}

// userIn returns the first file that imports a package of ours.
func userIn(sources contents) string {
	for _, path := range slices.Sorted(maps.Keys(sources)) {
		if isUser(sources[path]) {
			return path
		}
	}
	return ""
}
