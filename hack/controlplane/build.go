package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log"
	"os"
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
	beat     time.Duration // the longest time without a message
}

// beat is so short that nobody thinks that a build hangs.
const beat = 10 * time.Second

func newBuilder(pins, out string, progress *log.Logger) (*builder, error) {
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, fmt.Errorf("find the output folder: %w", err)
	}
	return &builder{pins: pins, out: out, progress: progress, beat: beat}, nil
}

// all builds the wanted components that are missing or out of date. It checks them after it
// has the lock: if another process had the lock before, that one may have built them.
func (b *builder) all(ctx context.Context, wanted []component) error {
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return fmt.Errorf("make the output folder: %w", err)
	}
	unlock, err := b.lock(filepath.Join(b.out, ".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	for _, batch := range batches(wanted) {
		if err := b.batch(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// job is what has to be built from one module.
type job struct {
	module     *module
	link       string // flags of the linker
	components []component
	stamps     map[string]string // by name, the fingerprint to write when a component is built
}

func (b *builder) batch(ctx context.Context, wanted []component) error {
	j, err := b.stale(ctx, wanted)
	if err != nil || len(j.components) == 0 {
		return err
	}
	// Remove the stamps first. If this process is killed halfway, the next one must not trust
	// them.
	for _, c := range j.components {
		if err := os.Remove(b.stamp(c)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget the old build of %s: %w", c.name, err)
		}
	}
	if err := b.make(ctx, j); err != nil {
		return err
	}
	for name, stamp := range j.stamps {
		if err := os.WriteFile(b.stamp(component{name: name}), []byte(stamp), 0o644); err != nil {
			return fmt.Errorf("note what %s was built from: %w", name, err)
		}
	}
	return nil
}

// stale returns the wanted components of a module that have to be built.
func (b *builder) stale(ctx context.Context, wanted []component) (job, error) {
	j := job{module: wanted[0].module, link: "-s -w", stamps: map[string]string{}}
	versions, err := b.versions(ctx, wanted)
	if err != nil {
		return job{}, err
	}
	if j.module.stamp != nil {
		j.link += " " + j.module.stamp(versions[j.module.versioned])
	}
	var current []string
	for _, c := range wanted {
		if c.own() {
			j.components = append(j.components, c)
			continue
		}
		want, err := b.fingerprint(c, append(buildArgs(j.link), c.pkg))
		if err != nil {
			return job{}, err
		}
		if isCurrent(b.binary(c), b.stamp(c), want) {
			current = append(current, c.name+" "+versions[c.pin])
			continue
		}
		j.components, j.stamps[c.name] = append(j.components, c), want
	}
	if len(current) > 0 {
		b.progress.Printf("up to date: %s", strings.Join(current, ", "))
	}
	return j, nil
}

// make builds the components of a job, and puts them in place.
func (b *builder) make(ctx context.Context, j job) error {
	names, start := strings.Join(namesOf(j.components), ", "), time.Now()
	put := b.putInPlace
	if j.components[0].own() {
		put = b.leaveInPlace
	}
	if err := put(ctx, j); err != nil {
		return fmt.Errorf("build %s: %w", names, err)
	}
	b.progress.Printf("built in %s: %s", rounded(time.Since(start)), names)
	return nil
}

// putInPlace builds into another folder and renames. So nobody can run an incomplete binary.
func (b *builder) putInPlace(ctx context.Context, j job) error {
	unfinished, err := os.MkdirTemp(b.out, ".unfinished-")
	if err != nil {
		return fmt.Errorf("make a folder to build in: %w", err)
	}
	defer func() { _ = os.RemoveAll(unfinished) }() // empty if all went well
	if err := b.compile(ctx, j, unfinished); err != nil {
		return err
	}
	for _, c := range j.components {
		if err := os.Rename(filepath.Join(unfinished, c.file()), b.binary(c)); err != nil {
			return fmt.Errorf("put %s in place: %w", c.name, err)
		}
	}
	return nil
}

// leaveInPlace shows the old binaries to the go command, which leaves them as they are if
// nothing has changed.
func (b *builder) leaveInPlace(ctx context.Context, j job) error {
	return b.compile(ctx, j, filepath.Dir(b.binary(j.components[0])))
}

func (b *builder) binary(c component) string { return filepath.Join(b.out, c.folder, c.name) }

func (b *builder) stamp(c component) string { return filepath.Join(b.out, "."+c.name+".stamp") }

// fingerprint changes when a binary has to be built again. It leaves out the Go version: a
// new one does not change what the binary does, and another build takes minutes.
func (b *builder) fingerprint(c component, args []string) (string, error) {
	sum := fnv.New128a() // crypto/sha256 would take longer to compile than everything else here
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(b.pins, c.module.folder, name))
		if err != nil {
			return "", fmt.Errorf("read the pins of %s: %w", c.name, err)
		}
		_, _ = sum.Write(fmt.Appendf(nil, "%d\n%s", len(content), content)) // a hash returns no error
	}
	_, _ = sum.Write(fmt.Appendf(nil, "%q %s/%s", args, runtime.GOOS, runtime.GOARCH))
	return fmt.Sprintf("%x\n", sum.Sum(nil)), nil
}

func isCurrent(binary, stamp, want string) bool {
	info, err := os.Stat(binary)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	got, err := os.ReadFile(stamp)
	return err == nil && string(got) == want
}
