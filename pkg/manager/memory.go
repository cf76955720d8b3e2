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
	// MaxBytes is how much the directory may hold. It has to have room for what was saved last of all kinds, and for the
	// kind that is being saved. Zero limits nothing. A kind that has no room is not saved, and the log says so.
	MaxBytes int64
	// Every is how often the state is saved, if anything has changed. Zero is every 30 seconds. Saving never takes more
	// than a hundredth of the time.
	Every time.Duration
}

// WithMemory has the objects of the cache saved in a directory: now and then, and at the end. A process that starts
// lists and watches as ever. Its controllers are told of each object how it differs from what was saved: an update with
// Old as it was, a deletion that nobody saw, or nothing new. All that has the cause [delta.Restart].
//
// Nothing is skipped because of a memory: the first call for each request is never complete. So a memory that is wrong,
// as of another cluster, makes the log wrong and nothing else.
//
// One process writes the directory. Others read it, and the first that finds it free writes from then on. A volume of the
// container is enough: with an emptyDir a container that starts again has its memory, and a new Pod has none. The log says
// why a memory is not used.
func WithMemory(dir string, opts MemoryOptions) Option {
	return func(s *settings) {
		s.memory = &memory.Options{Dir: dir, Key: opts.Key, MaxBytes: opts.MaxBytes, Every: opts.Every}
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
