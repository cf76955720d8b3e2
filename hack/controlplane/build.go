//go:build unix

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
	"syscall"
	"time"
)

// builder turns the programs of a module into binaries.
type builder struct {
	module   string            // its folder
	link     func(pins) string // flags of the linker
	out      string            // folder for the binaries
	progress *log.Logger
}

// all builds the wanted components that are missing or out of date. It checks them after it
// has the lock: if another process had the lock before, that one may have built them.
func (b *builder) all(ctx context.Context, wanted []component) error {
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return fmt.Errorf("make the output folder: %w", err)
	}
	unlock, err := b.lock()
	if err != nil {
		return err
	}
	defer unlock()
	pins, err := readPins(b.module)
	if err != nil {
		return err
	}
	args := buildArgs(b.link(pins))
	stamps := map[string]string{} // by file, what to note when all is built
	var current []string
	var stale []component
	for _, c := range wanted {
		stamp, want := filepath.Join(b.out, "."+c.name+".stamp"), pins.fingerprint(append(args, c.pkg))
		if isCurrent(filepath.Join(b.out, c.name), stamp, want) {
			current = append(current, c.name+" "+pins.version(c.pin))
			continue
		}
		stale, stamps[stamp] = append(stale, c), want
	}
	if len(current) > 0 {
		b.progress.Printf("up to date: %s", strings.Join(current, ", "))
	}
	if len(stale) == 0 {
		return nil
	}
	return b.build(ctx, stale, args, stamps)
}

// lock makes this process the only one that builds into the folder. The operating system
// releases the lock when the process ends, even if it is killed.
func (b *builder) lock() (unlock func(), err error) {
	f, err := os.Create(filepath.Join(b.out, ".lock"))
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		b.progress.Printf("waiting for another process that holds %s", f.Name())
		for err = syscall.EINTR; errors.Is(err, syscall.EINTR); { // signals interrupt the wait
			err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return func() { _ = f.Close() }, nil
}

// build builds components into another folder and renames them. So nobody can run an incomplete binary.
func (b *builder) build(ctx context.Context, all []component, args []string, stamps map[string]string) error {
	// Remove the stamps first. If this process is killed halfway, the next one must not trust
	// them.
	for stamp := range stamps {
		if err := os.Remove(stamp); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget the old build: %w", err)
		}
	}
	unfinished, err := os.MkdirTemp(b.out, ".unfinished-")
	if err != nil {
		return fmt.Errorf("make a folder to build in: %w", err)
	}
	defer func() { _ = os.RemoveAll(unfinished) }() // empty if all went well
	names, start := namesOf(all), time.Now()
	for _, c := range all {
		args = append(args, c.pkg)
	}
	b.progress.Printf("building %s", names)
	if err := b.compile(ctx, args, unfinished); err != nil {
		return fmt.Errorf("build %s: %w", names, err)
	}
	for _, c := range all {
		if err := os.Rename(filepath.Join(unfinished, cmp.Or(c.made, c.name)), filepath.Join(b.out, c.name)); err != nil {
			return fmt.Errorf("put %s in place: %w", c.name, err)
		}
	}
	b.progress.Printf("built in %s: %s", time.Since(start).Round(time.Second), names)
	for stamp, text := range stamps {
		if err := os.WriteFile(stamp, []byte(text), 0o644); err != nil {
			return fmt.Errorf("note what was built: %w", err)
		}
	}
	return nil
}

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

func readPins(module string) (read pins, err error) {
	for i, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(module, name))
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
