package memory

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/lock"
	"github.com/delta-runtime/delta-runtime/internal/savefile"
)

// Options say what is saved, and where.
type Options struct {
	Dir      string
	Key      []byte        // seals all files; nil: they are not sealed, and no Secrets are saved
	MaxBytes int64         // of all files; zero limits nothing
	Every    time.Duration // how often to save, if anything has changed; zero is 30 seconds
	Program  Program
	Chosen   func(schema.GroupVersionKind) bool // whether to save a kind; nil: all
	Log      logr.Logger
}

// Memory is what one process has saved, for itself in its next life.
type Memory struct {
	opts Options
	dir  *savefile.Dir
	seed [32]byte // of the hashes of requests and objects

	mu        lock.Mutex[lock.Memory] // guards everything below; never held while a file is touched
	loaded    *manifest               // what an earlier process has saved; nil if nothing can be used
	marked    map[string]map[uint64]struct{}
	kinds     map[string]Kind
	ledgers   map[string]Ledger
	current   *manifest         // what was committed last; nil for nothing
	last      *marks            // of what was committed last; nil if it has no ledgers
	next      *marks            // of what is being saved
	committed bool              // the newest save
	since     []taken           // since the ledgers were asked, while next is not there yet; nil if none are being asked
	changes   map[string]uint64 // of each kind, one more than at the cut that is in its file
	written   map[string]uint64 // the same of what is being saved
	began     time.Time
	where     Server
	server    *facts            // what was found out about the server; nil before
	tags      map[string]string // of each kind's description, when the kind was first read
	spoilt    bool              // nothing is saved any more
}

// Kind is a kind whose store is saved.
type Kind interface {
	// Print says what the saved objects depend on: the selectors and the like.
	Print() string
	// GroupVersion is the name of the group and version as the server has it: "apps/v1", or "v1".
	GroupVersion() string
	// Cut returns the state to save, nil if there is none now.
	Cut() Cut
	// Encoder returns what appends objects to buf. It is for the objects of one file, in their order, because it may write
	// them as what they differ in from those before.
	Encoder() func(buf []byte, obj any) ([]byte, error)
	// ForgetRecalled has the informer no longer keep the saved state with which it began.
	ForgetRecalled()
}

// Ledger is a controller's ledger that is saved.
type Ledger interface {
	ledger.Saver
	Restore(m ledger.Memory)
}

// New opens a directory. It leaves the state where it is if that can't be used, and the log says why.
func New(opts Options) (*Memory, error) {
	if len(opts.Key) == 0 {
		opts.Key = nil
	}
	dir, err := savefile.Open(opts.Dir, savefile.Options{Key: opts.Key, MaxBytes: opts.MaxBytes})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the memory: %w", err), leaveWord(opts.Dir))
	}
	m := &Memory{
		opts: opts, dir: dir, began: time.Now(),
		kinds: map[string]Kind{}, ledgers: map[string]Ledger{}, changes: map[string]uint64{}, written: map[string]uint64{}, tags: map[string]string{},
	}
	if err := m.load(); err != nil && !errors.Is(err, savefile.ErrNone) {
		opts.Log.Info("The saved state is not used, the start is a normal one", "dir", opts.Dir, "why", err.Error())
		m.loaded, m.current, m.last, m.marked = nil, nil, nil, nil
	}
	if m.loaded == nil {
		if _, err := rand.Read(m.seed[:]); err != nil {
			return nil, fmt.Errorf("make the memory's seed: %w", err)
		}
	}
	return m, nil
}

// Close lets go of the directory.
func (m *Memory) Close() error { return m.dir.Close() }

// Config is how the program was configured.
func (m *Memory) Config() string { return m.opts.Program.Config }

// Chosen reports whether a kind is one of those to save.
func (m *Memory) Chosen(kind schema.GroupVersionKind) bool {
	return m.opts.Chosen == nil || m.opts.Chosen(kind)
}

// Sealed reports whether Secrets may be saved.
func (m *Memory) Sealed() bool { return m.opts.Key != nil }

// AddKind has a kind saved from now on. The name says which it is. It returns a function that ends that.
func (m *Memory) AddKind(name string, k Kind) (remove func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kinds[name] = k
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.kinds[name] == k {
			delete(m.kinds, name)
		}
	}
}

// AddLedger has a controller's ledger saved from now on, and restores what was saved of it.
func (m *Memory) AddLedger(name string, l Ledger) {
	m.mu.Lock()
	var entry ledgerEntry
	known := false
	if m.loaded != nil {
		entry, known = m.loaded.Ledgers[name]
	}
	other, twice := m.ledgers[name]
	m.ledgers[name] = l
	taken := m.marked[name]
	m.mu.Unlock()
	if twice { // the next process could not tell which is which
		other.Abstain()
		l.Abstain()
		return
	}
	if !known {
		return
	}
	restored, err := m.readLedger(entry)
	if err != nil {
		m.opts.Log.Info("A saved ledger is not used, so the first call for each request is told that its changes are incomplete", "controller", name, "why", err.Error())
		m.spoilLedgers()
		return
	}
	kept := restored.Successes[:0]
	for _, s := range restored.Successes {
		if _, since := taken[s.Request]; since {
			restored.Open = append(restored.Open, s.Request)
		} else {
			kept = append(kept, s)
		}
	}
	restored.Successes = kept
	l.Restore(restored)
}

// taken is a request that a worker has taken.
type taken struct {
	controller string
	request    uint64
}

// Took notes that a worker takes a request which a saved ledger of a controller has as dealt with.
func (m *Memory) Took(controller string, request uint64, in ledger.Memories) {
	m.mu.Lock()
	last, next := m.last, m.next
	switch {
	case !in.Next || next != nil:
	case m.since != nil:
		m.since = append(m.since, taken{controller, request})
	case m.committed: // while the worker was on its way here, so what is being saved to the ledger was saved last
		in.Last = true
	}
	m.mu.Unlock()
	if in.Last {
		m.note(last, taken{controller, request})
	}
	if in.Next {
		m.note(next, taken{controller, request})
	}
}

func (m *Memory) note(in *marks, t taken) {
	if in == nil {
		return
	}
	if err := in.add(t.controller, t.request); err != nil {
		m.spoil(err)
	}
}

// spoil makes what is saved count for nothing, because it can't be kept right.
func (m *Memory) spoil(why error) {
	m.mu.Lock()
	already := m.spoilt
	m.spoilt = true
	m.mu.Unlock()
	if already {
		return
	}
	m.opts.Log.Error(why, "The memory can't be kept, and nothing more is saved", "dir", m.opts.Dir)
	if err := m.dir.Commit(emptyManifest(), nil); err != nil {
		m.opts.Log.Error(err, "What was saved may be used by mistake: remove it", "dir", m.opts.Dir)
	}
}
