package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// builder turns pinned modules into binaries.
type builder struct {
	pins     string // folder that holds the modules
	out      string // folder for the binaries
	progress *log.Logger
}

func newBuilder(pins, out string, progress *log.Logger) (*builder, error) {
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, fmt.Errorf("find the output folder: %w", err)
	}
	return &builder{pins: pins, out: out, progress: progress}, nil
}

// all builds what is missing or out of date among the wanted components. Checks
// come after the lock: one that waited for another process finds its work done.
func (b *builder) all(ctx context.Context, wanted []component) error {
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return fmt.Errorf("make the output folder: %w", err)
	}
	unlock, err := lock(filepath.Join(b.out, ".lock"), b.progress)
	if err != nil {
		return err
	}
	defer unlock()
	for _, c := range wanted {
		if err := b.one(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) one(ctx context.Context, c component) error {
	version, err := b.version(ctx, c)
	if err != nil {
		return err
	}
	args := buildArgs(c, version)
	want, err := b.fingerprint(c, args)
	if err != nil {
		return err
	}
	binary, stamp := filepath.Join(b.out, c.name), filepath.Join(b.out, "."+c.name+".stamp")
	if current(binary, stamp, want) {
		b.progress.Printf("%s %s is up to date", c.name, version)
		return nil
	}
	// Remove the stamp first: killed halfway, the next run must not believe it.
	if err := os.Remove(stamp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the old build of %s: %w", c.name, err)
	}
	if err := b.compile(ctx, c, version, args); err != nil {
		return err
	}
	if err := os.WriteFile(stamp, []byte(want), 0o644); err != nil {
		return fmt.Errorf("note what %s was built from: %w", c.name, err)
	}
	return nil
}

// compile builds under another name and renames, so that no one ever runs half a
// binary.
func (b *builder) compile(ctx context.Context, c component, version string, args []string) error {
	unfinished := filepath.Join(b.out, "."+c.name+".tmp")
	defer func() { _ = os.Remove(unfinished) }() // gone already if all went well
	start := time.Now()
	b.progress.Printf("%s %s: building, takes about %s the first time", c.name, version, c.takes)
	said, err := b.patiently(b.command(ctx, c, append([]string{"build", "-o", unfinished}, args...)...), func() {
		b.progress.Printf("%s %s: still building after %v", c.name, version, time.Since(start).Round(time.Second))
	})
	if err != nil {
		return fmt.Errorf("build %s %s: %w\n%s", c.name, version, err, said)
	}
	if err := os.Rename(unfinished, filepath.Join(b.out, c.name)); err != nil {
		return fmt.Errorf("put %s in place: %w", c.name, err)
	}
	b.progress.Printf("%s %s: built in %v", c.name, version, time.Since(start).Round(time.Second))
	return nil
}

// patiently runs a command and reports now and then that it is still running. The
// output is kept back: a first build downloads hundreds of modules and tells of each.
func (b *builder) patiently(cmd *exec.Cmd, report func()) (said []byte, err error) {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ticker := time.NewTicker(15 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case err := <-ended:
			return output.Bytes(), err
		case <-ticker.C:
			report()
		}
	}
}

// command is the go command in a component's module, shielded from settings that
// are about the caller's own code.
func (b *builder) command(ctx context.Context, c component, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = filepath.Join(b.pins, c.module)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	return cmd
}

// version asks the pins, so that a version is written in one place.
func (b *builder) version(ctx context.Context, c component) (string, error) {
	cmd := b.command(ctx, c, "list", "-mod=readonly", "-m", "-f", "{{.Version}}", c.pin)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	said, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("read the pinned version of %s: %w\n%s", c.name, err, complaint.Bytes())
	}
	return strings.TrimSpace(string(said)), nil
}

// buildArgs says how a component is built. -mod=readonly and -buildvcs=false make
// it independent of the user's GOFLAGS and of the repository it happens to be in.
func buildArgs(c component, version string) []string {
	link := "-s -w"
	if c.stamp != nil {
		link += " " + c.stamp(version)
	}
	return []string{"-mod=readonly", "-buildvcs=false", "-trimpath", "-ldflags", link, c.pkg}
}

// fingerprint changes when a binary has to be built again. The Go version is left
// out: a new one does not change what the binary does, and costs minutes.
func (b *builder) fingerprint(c component, args []string) (string, error) {
	sum := sha256.New()
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(b.pins, c.module, name))
		if err != nil {
			return "", fmt.Errorf("read the pins of %s: %w", c.name, err)
		}
		sum.Write(fmt.Appendf(nil, "%d\n%s", len(content), content))
	}
	sum.Write(fmt.Appendf(nil, "%q %s/%s", args, runtime.GOOS, runtime.GOARCH))
	return fmt.Sprintf("%x\n", sum.Sum(nil)), nil
}

func current(binary, stamp, want string) bool {
	info, err := os.Stat(binary)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	got, err := os.ReadFile(stamp)
	return err == nil && string(got) == want
}
