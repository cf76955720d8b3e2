package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
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
	stamps     map[string]string // by file, what to note when all is built
}

// batch builds the wanted components of a module.
func (b *builder) batch(ctx context.Context, wanted []component) error {
	j, err := b.stale(wanted)
	if err != nil || len(j.components) == 0 {
		return err
	}
	// Remove the stamps first. If this process is killed halfway, the next one must not trust
	// them.
	for stamp := range j.stamps {
		if err := os.Remove(stamp); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget the old build: %w", err)
		}
	}
	names, start := namesOf(j.components), time.Now()
	if err := b.make(ctx, j); err != nil {
		return fmt.Errorf("build %s: %w", names, err)
	}
	b.progress.Printf("built in %s: %s", time.Since(start).Round(time.Second), names)
	for stamp, text := range j.stamps {
		if err := os.WriteFile(stamp, []byte(text), 0o644); err != nil {
			return fmt.Errorf("note what was built: %w", err)
		}
	}
	return nil
}

// stale returns the wanted components of a module that have to be built.
func (b *builder) stale(wanted []component) (job, error) {
	j := job{module: wanted[0].module, link: "-s -w", stamps: map[string]string{}}
	if wanted[0].own() {
		j.components = wanted
		return j, nil
	}
	pins, err := b.read(j.module)
	if err != nil {
		return j, err
	}
	j.link += " " + j.module.stamp(pins.version(j.module.versioned))
	var current []string
	for _, c := range wanted {
		stamp, want := filepath.Join(b.out, "."+c.name+".stamp"), pins.fingerprint(append(buildArgs(j.link), c.pkg))
		if !isCurrent(b.binary(c), stamp, want) {
			j.components, j.stamps[stamp] = append(j.components, c), want
			continue
		}
		current = append(current, c.name+" "+pins.version(c.pin))
	}
	if len(current) > 0 {
		b.progress.Printf("up to date: %s", strings.Join(current, ", "))
	}
	return j, nil
}

// make builds into another folder and renames. So nobody can run an incomplete binary. For our
// own programs it shows the old binaries to the go command, which leaves them as they are if
// nothing has changed.
func (b *builder) make(ctx context.Context, j job) error {
	if first := j.components[0]; first.own() {
		return b.compile(ctx, j, filepath.Dir(b.binary(first)))
	}
	unfinished, err := os.MkdirTemp(b.out, ".unfinished-")
	if err != nil {
		return fmt.Errorf("make a folder to build in: %w", err)
	}
	defer func() { _ = os.RemoveAll(unfinished) }() // empty if all went well
	if err := b.compile(ctx, j, unfinished); err != nil {
		return err
	}
	for _, c := range j.components {
		if err := os.Rename(filepath.Join(unfinished, cmp.Or(c.made, c.name)), b.binary(c)); err != nil {
			return fmt.Errorf("put %s in place: %w", c.name, err)
		}
	}
	return nil
}

func (b *builder) binary(c component) string { return filepath.Join(b.out, c.folder, c.name) }

func isCurrent(binary, stamp, want string) bool {
	info, err := os.Stat(binary)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	got, err := os.ReadFile(stamp)
	return err == nil && string(got) == want
}

// pins are the files that pin what a module's programs are built from: its go.mod and go.sum.
type pins [2]string

func (b *builder) read(m *module) (read pins, err error) {
	for i, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(b.pins, m.folder, name))
		if err != nil {
			return read, fmt.Errorf("read the pinned versions: %w", err)
		}
		read[i] = string(content)
	}
	return read, nil
}

// version reads a version from the pins, so that each version is written in one place.
func (p pins) version(path string) string {
	line := regexp.MustCompile(`(?m)^(?:require)?\s+` + regexp.QuoteMeta(path) + ` (v\S+)`)
	if match := line.FindStringSubmatch(p[0]); match != nil {
		return match[1]
	}
	panic("BUG: there is no version of " + path + " in the pins")
}

// fingerprint changes when a binary has to be built again. It leaves out the Go version: a
// new one does not change what the binary does, and another build takes minutes.
func (p pins) fingerprint(args []string) string {
	sum := fnv.New128a() // crypto/sha256 would take longer to compile than everything else here
	for _, content := range p {
		_, _ = fmt.Fprintf(sum, "%d\n%s", len(content), content) // a hash returns no error
	}
	_, _ = fmt.Fprintf(sum, "%q %s/%s", args, runtime.GOOS, runtime.GOARCH)
	return fmt.Sprintf("%x\n", sum.Sum(nil))
}
