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
	beat     time.Duration // the longest that nothing is said
}

// beat is short enough that nobody takes a build for stuck.
const beat = 10 * time.Second

func newBuilder(pins, out string, progress *log.Logger) (*builder, error) {
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, fmt.Errorf("find the output folder: %w", err)
	}
	return &builder{pins: pins, out: out, progress: progress, beat: beat}, nil
}

// all builds what is missing or out of date among the wanted components. Checks
// come after the lock: one that waited for another process finds its work done.
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
	stamps     map[string]string // by name, what is noted of a component when it is built
}

func (b *builder) batch(ctx context.Context, wanted []component) error {
	j, err := b.stale(ctx, wanted)
	if err != nil || len(j.components) == 0 {
		return err
	}
	// Remove the stamps first: killed halfway, the next run must not believe them.
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

// stale finds out which of the wanted components of a module have to be built.
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

// make builds what is in a job, and puts it in place.
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

// putInPlace builds into another folder and renames, so that no one ever runs half a
// binary.
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

// leaveInPlace has the go command see the old binaries, which it leaves as they are if
// nothing has changed.
func (b *builder) leaveInPlace(ctx context.Context, j job) error {
	return b.compile(ctx, j, filepath.Dir(b.binary(j.components[0])))
}

func (b *builder) binary(c component) string { return filepath.Join(b.out, c.folder, c.name) }

func (b *builder) stamp(c component) string { return filepath.Join(b.out, "."+c.name+".stamp") }

// fingerprint changes when a binary has to be built again. The Go version is left
// out: a new one does not change what the binary does, and costs minutes.
func (b *builder) fingerprint(c component, args []string) (string, error) {
	sum := fnv.New128a() // crypto/sha256 would take longer to compile than all else here
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(b.pins, c.module.folder, name))
		if err != nil {
			return "", fmt.Errorf("read the pins of %s: %w", c.name, err)
		}
		_, _ = sum.Write(fmt.Appendf(nil, "%d\n%s", len(content), content)) // a hash takes everything
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
