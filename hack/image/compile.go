package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// compile returns the program, linked statically.
func compile(ctx context.Context, s settings, platform v1.Platform) ([]byte, error) {
	scratch, err := os.MkdirTemp("", "image")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the program: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }() // if this fails, only a temporary file is left
	// Nothing about the caller's machine may get into the program. -trimpath keeps out the
	// folders, -buildvcs the state of the repository, and GOFLAGS the caller's flags.
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly",
		"-ldflags", "-s -w -buildid=", "-o", scratch+string(filepath.Separator), s.pkg) // into a folder the go command writes only programs
	command.Dir = s.root
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+platform.OS, "GOARCH="+platform.Architecture,
		"GOFLAGS=", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0")
	if said, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build %s for %s: %w\n%s", s.pkg, platform.String(), err, said)
	}
	made, err := filepath.Glob(filepath.Join(scratch, "*"))
	if err != nil || len(made) != 1 {
		return nil, fmt.Errorf("build %s for %s: it is %d programs, not one", s.pkg, platform.String(), len(made))
	}
	program, err := os.ReadFile(made[0])
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	return program, nil
}
