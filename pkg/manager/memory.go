package manager

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/memory"
)

// MemoryOptions say what [WithMemory] saves. The zero value saves all kinds but Secrets.
type MemoryOptions struct {
	// Kinds are those to save. Empty is all. Secrets are saved only if there is a Key.
	Kinds []schema.GroupVersionKind
	// Key seals the files: 16, 24 or 32 bytes, for AES. Without one they can be read by everybody who can read the
	// directory.
	Key []byte
	// MaxBytes is how much the directory may hold. It has to have room for what was saved last and
	// for what is being saved. Zero limits nothing. A state that is larger is not saved, and the log says so.
	MaxBytes int64
	// Every is how often the state is saved. Zero is every 30 seconds. A save never takes more than a hundredth of
	// the time.
	Every time.Duration
	// Version says which program it is. Objects are used again by the same version, and what controllers have
	// dealt with, too. Empty compares the executable, and for what controllers have dealt with also its
	// arguments and its environment. If you set it, change it whenever your reconcilers would do something else: also
	// for another configuration in a file or in an object that they do not watch.
	Version string
}

// WithMemory has the cache saved in a directory: now and then, and at the end. A process that starts again then reads
// it, and watches what has happened since, instead of listing everything. Reconcilers are called for every object,
// as after any start. For those with which they had succeeded before, [delta.From] is complete, and has only
// what changed in between.
//
// One process can have the directory at a time. A volume of the container is enough: with an emptyDir a container that
// starts again has its memory, and a new Pod has none. A state that can't be used is left, the log says why,
// and the start is a normal one.
func WithMemory(dir string, opts MemoryOptions) Option {
	return func(s *settings) {
		s.memory = &memory.Options{
			Dir: dir, Key: opts.Key, MaxBytes: opts.MaxBytes, Every: opts.Every, Program: memory.ThisProgram(opts.Version),
		}
		if len(opts.Kinds) > 0 {
			s.memory.Chosen = func(kind schema.GroupVersionKind) bool { return slices.Contains(opts.Kinds, kind) }
		}
	}
}

// checkMemory returns what is wrong with the options.
func (s *settings) checkMemory() error {
	m := s.memory
	switch {
	case m == nil:
		return nil
	case m.Dir == "":
		return errors.New("configure manager: WithMemory has no directory")
	case m.MaxBytes < 0:
		return fmt.Errorf("configure manager: WithMemory may save %d bytes", m.MaxBytes)
	case m.Every < 0:
		return fmt.Errorf("configure manager: WithMemory is to save every %v", m.Every)
	}
	switch len(m.Key) {
	case 0, 16, 24, 32:
		return nil
	default:
		return fmt.Errorf("configure manager: the Key of WithMemory has %d bytes, and AES takes 16, 24 or 32", len(m.Key))
	}
}
