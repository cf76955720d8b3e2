package memory

import (
	"context"
	"errors"
	"hash/maphash"
	"iter"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/memory/savefile"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Options say what is saved, and where.
type Options struct {
	Dir      string
	Key      []byte                             // seals all files; nil: they are not sealed, and no Secrets are saved
	MaxBytes int64                              // of all files; zero limits nothing
	Every    time.Duration                      // how often to save, if anything has changed; zero is 30 seconds
	Chosen   func(schema.GroupVersionKind) bool // whether to save a kind; nil: all
	Log      logr.Logger
}

// Memory is what one process saves for the next one. The directory is opened when it is first needed.
type Memory struct {
	opts  Options
	files savefile.Options
	seed  maphash.Seed  // of digests
	open  func()        // opens the directory, once
	turn  chan struct{} // has an element while somebody saves

	mu      lock.Mutex[lock.Memory] // guards everything below; never held while a file is touched
	dir     *savefile.Dir           // nil if it can't be used
	writes  bool                    // the directory is this process's
	cluster string                  // of the kinds; empty before their server has said so
	kinds   map[string]*remembered
	told    map[string]bool // the kinds whose past was read, or has given way: the files have something newer since then
	began   time.Time       // when the first kind came
}

// remembered is a kind that is saved.
type remembered struct {
	Kind
	saved  uint64 // the digest of what was last saved; zero for nothing
	failed string // why it could not be saved last time, as the log has it
}

// Kind is a kind whose objects are saved.
type Kind interface {
	// Print says what the saved objects depend on: the selectors and the like.
	Print() string
	// Server is where they come from.
	Server() Server
	// Snapshot returns the objects, nil if they can't be saved now.
	Snapshot() Snapshot
	Codec
	// ForgetSaved has the informer let go of what was saved of it.
	ForgetSaved()
}

// Codec writes objects so that the next executable can read them.
type Codec interface {
	// Encode appends an object to buf.
	Encode(buf []byte, obj any) ([]byte, error)
	// Decode makes an object, and keeps nothing of the bytes.
	Decode(data []byte) (any, error)
}

// Snapshot is the objects of a kind at one moment.
type Snapshot interface {
	All() iter.Seq2[delta.Key, any]
	Release()
}

// New returns a memory. It touches no file.
func New(opts Options) *Memory {
	if len(opts.Key) == 0 {
		opts.Key = nil
	}
	m := &Memory{opts: opts, seed: maphash.MakeSeed(), turn: make(chan struct{}, 1), kinds: map[string]*remembered{}, told: map[string]bool{}}
	m.files = savefile.Options{Key: opts.Key, MaxBytes: opts.MaxBytes}
	m.open = sync.OnceFunc(m.openDir)
	return m
}

// Chosen reports whether a kind is one of those to save.
func (m *Memory) Chosen(kind schema.GroupVersionKind) bool {
	return m.opts.Chosen == nil || m.opts.Chosen(kind)
}

// Sealed reports whether Secrets may be saved.
func (m *Memory) Sealed() bool { return m.opts.Key != nil }

// AddKind has a kind saved from now on. The name says which it is. It returns a function that ends that.
func (m *Memory) AddKind(name string, k Kind) (remove func()) {
	added := &remembered{Kind: k}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.began.IsZero() {
		m.began = time.Now()
	}
	m.kinds[name] = added
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.kinds[name] == added {
			delete(m.kinds, name)
		}
	}
}

// openDir opens the directory to write, or else to read. If it can't be used, the log says why.
func (m *Memory) openDir() {
	dir, err := savefile.Open(m.opts.Dir, m.files)
	if errors.Is(err, savefile.ErrLocked) {
		m.opts.Log.Info("Another process has the memory; this one reads it, and saves nothing until it is free", "dir", m.opts.Dir)
	} else if err != nil {
		m.opts.Log.Error(err, "The memory can't be kept, and nothing is saved", "dir", m.opts.Dir)
	}
	if err != nil {
		dir, _ = savefile.OpenToRead(m.opts.Dir, m.files) // what is wrong has been said
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dir, m.writes = dir, err == nil
}

// current returns the directory, and whether it is this process's.
func (m *Memory) current() (dir *savefile.Dir, writes bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dir, m.writes
}

// takeOver returns the directory to write, nil if another process has it. The caller has the turn.
func (m *Memory) takeOver() *savefile.Dir {
	dir, writes := m.current()
	if writes || dir == nil {
		return dir
	}
	dir, err := savefile.Open(m.opts.Dir, m.files)
	if err != nil {
		return nil
	}
	m.mu.Lock()
	m.dir, m.writes = dir, true
	m.mu.Unlock()
	m.opts.Log.Info("The memory is free, and this process saves from now on", "dir", m.opts.Dir)
	return dir
}

// Close lets go of the directory.
func (m *Memory) Close() error {
	dir, _ := m.current()
	if dir == nil {
		return nil
	}
	return dir.Close()
}

// where returns the cluster of a server.
func (m *Memory) where(ctx context.Context, of Server) (string, error) {
	m.mu.Lock()
	known := m.cluster
	m.mu.Unlock()
	if known != "" {
		return known, nil
	}
	found, err := of.cluster(ctx)
	if err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cluster = found
	return found, nil
}
