package memory

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Cut is a state of a kind; see engine.Cut.
type Cut interface {
	All() iter.Seq2[delta.Key, any]
	Release()
	// At returns the version of the server, how often the store has changed, and whether the store itself is that state.
	At() (version string, changes uint64, whole bool)
}

const (
	// every is how often the state is saved if nobody says.
	every = 30 * time.Second
	// share of a processor that saving may take: saving rests for this many times as long as the objects took.
	share = 100
	// recallFor is how long the state with which a process has begun is kept for controllers that have not
	// started, as they are not the leader. Until then nothing is saved in its place.
	recallFor = 10 * time.Minute
	// lookAgain is how often to look whether they have.
	lookAgain = 100 * time.Millisecond
)

// Run saves now and then, until ctx ends. It is for the cache's group of tasks.
func (m *Memory) Run(ctx context.Context) {
	if !m.settle(ctx) {
		return
	}
	m.forgetRecalled()
	m.tagAll(ctx)
	soonest := cmp.Or(m.opts.Every, every)
	rest := soonest
	for sleep(ctx, rest) {
		m.forgetRecalled() // also of kinds that have come since
		busy, err := m.save(ctx, running)
		if err != nil && ctx.Err() == nil {
			m.opts.Log.Error(err, "The state could not be saved; what was saved before stays", "dir", m.opts.Dir)
		}
		rest = max(soonest, share*busy)
	}
}

// tagAll notes how the server describes the kinds that there are.
func (m *Memory) tagAll(ctx context.Context) {
	m.mu.Lock()
	kinds, where := maps.Clone(m.kinds), m.where
	m.mu.Unlock()
	if where.Config == nil {
		return
	}
	if here, err := m.look(ctx, where); err == nil { // or else before they are saved
		for name, k := range kinds {
			m.tag(name, k, here)
		}
	}
}

// moment is when a state is saved.
type moment uint8

const (
	running moment = iota + 1
	atTheEnd
)

// Finish saves once more. Nothing of the cache and of its controllers runs any more.
func (m *Memory) Finish(ctx context.Context) error {
	defer func() { _ = m.Close() }()
	if m.awaitsLedgers() { // what was saved before says more
		return nil
	}
	_, err := m.save(ctx, atTheEnd)
	return err
}

// saving is what is on its way to the disk.
type saving struct {
	next    *manifest
	cuts    map[string]Cut
	ledgers map[string]Ledger // those that were asked, and had an answer
	notes   *marks            // nil if there are no ledgers, or nothing will be taken any more
}

// save writes what has changed since it was last called, and then the manifest. It returns how long the objects took.
func (m *Memory) save(ctx context.Context, when moment) (busy time.Duration, err error) {
	m.mu.Lock()
	kinds, where, spoilt := maps.Clone(m.kinds), m.where, m.spoilt
	m.mu.Unlock()
	if spoilt || where.Config == nil {
		return 0, nil // no kind has been read yet
	}
	here, err := m.look(ctx, where)
	if err != nil {
		return 0, err
	}
	s := &saving{
		next: &manifest{
			Format: format, Program: m.opts.Program, Saved: time.Now(), Heap: liveHeap(), Boot: bootID(), Cluster: here.cluster, Seed: m.seed,
			Kinds: map[string]kindEntry{}, Ledgers: map[string]ledgerEntry{},
		},
		cuts: map[string]Cut{}, ledgers: map[string]Ledger{},
	}
	for name, k := range kinds {
		if m.tag(name, k, here) == "" {
			continue // it could never be used
		}
		if cut := k.Cut(); cut != nil {
			s.cuts[name] = cut
		}
	}
	defer func() { m.saved(s, err) }()
	if len(s.cuts) == 0 {
		return 0, nil
	}
	if err := m.takeDown(when, s); err != nil {
		return 0, err
	}
	for name, cut := range s.cuts {
		began := time.Now()
		if s.next.Kinds[name], err = m.writeKind(ctx, name, kinds[name], cut); err != nil {
			return busy, fmt.Errorf("save %s: %w", name, err)
		}
		busy += time.Since(began)
	}
	return busy, m.commit(s)
}

// saved ends a save, well or not.
func (m *Memory) saved(s *saving, err error) {
	for _, cut := range s.cuts {
		cut.Release()
	}
	for _, l := range s.ledgers {
		if err == nil {
			l.Saved()
		} else {
			l.NotSaved()
		}
	}
	if err != nil {
		m.abandon(s)
	}
}

// look asks the server about itself. At the end it may not answer; then what is known counts.
func (m *Memory) look(ctx context.Context, where Server) (*facts, error) {
	here, err := where.facts(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err == nil:
		m.server = here
	case m.server == nil:
		return nil, err
	}
	return m.server, nil
}

// tag returns the version of the description of a kind when it was first read, empty if the server has none.
func (m *Memory) tag(name string, k Kind, here *facts) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tags[name] == "" {
		m.tags[name] = here.tags[k.GroupVersion()]
	}
	return m.tags[name]
}

// takeDown saves the ledgers, after the kinds were cut: what is in a cut is recorded by then. Marks note
// whatever is taken from here on. At the end nothing is.
func (m *Memory) takeDown(when moment, s *saving) error {
	m.mu.Lock()
	ledgers := maps.Clone(m.ledgers)
	m.since = []taken{}
	m.mu.Unlock()
	busy := false // a manager does not wait for ever until its workers have ended
	for name, l := range ledgers {
		memory, ok := l.Save()
		if !ok {
			continue
		}
		busy = busy || memory.Busy
		s.ledgers[name] = l
		file, err := m.writeLedger(name, &memory)
		if err != nil {
			return fmt.Errorf("save the ledger of %s: %w", name, err)
		}
		s.next.Ledgers[name] = ledgerEntry{File: file, Successes: len(memory.Successes)}
	}
	if when == atTheEnd && !busy || len(s.ledgers) == 0 {
		return nil
	}
	notes, err := newMarks(m.path(marksLabel+randomName()+".marks"), s.next.marksOf())
	if err != nil {
		return err
	}
	s.notes, s.next.Marks = notes, notes.name
	m.mu.Lock()
	since := m.since
	m.next, m.since = notes, nil
	m.mu.Unlock()
	for _, t := range since {
		m.note(notes, t)
	}
	return nil
}

// writeKind writes the objects of a kind, unless they are as in the file that there is.
func (m *Memory) writeKind(ctx context.Context, name string, k Kind, cut Cut) (kindEntry, error) {
	version, changes, whole := cut.At()
	m.mu.Lock()
	entry := kindEntry{Version: version, Print: k.Print(), Schema: m.tags[name]}
	before, at := kindEntry{}, m.changes[name]
	if m.current != nil {
		before = m.current.Kinds[name]
	}
	m.mu.Unlock()
	if whole && at == changes+1 && before.Print == entry.Print && before.Schema == entry.Schema {
		entry.File, entry.Objects = before.File, before.Objects
		return entry, nil
	}
	w, err := m.dir.Create(name, []byte(name))
	if err != nil {
		return entry, err
	}
	defer w.Abandon()
	var buf []byte
	encode := k.Encoder()
	for _, obj := range cut.All() {
		if ctx.Err() != nil {
			return entry, ctx.Err()
		}
		if buf, err = encode(buf[:0], obj); err != nil {
			return entry, err
		}
		if err := w.Record(buf); err != nil {
			return entry, err
		}
		entry.Objects++
	}
	entry.File, err = w.Finish()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.changes, name)
	if whole {
		m.written[name] = changes + 1
	}
	return entry, err
}

// commit makes what was written what counts.
func (m *Memory) commit(s *saving) error {
	if err := m.dir.Commit(s.next.text(), s.next.files()); err != nil {
		return fmt.Errorf("commit what was saved: %w", err)
	}
	m.mu.Lock()
	if m.spoilt { // meanwhile
		m.mu.Unlock()
		return m.dir.Commit(emptyManifest(), nil)
	}
	before := m.last
	m.current, m.last, m.next, m.since, m.committed = s.next, s.notes, nil, nil, true
	for name := range s.cuts {
		if n, ok := m.written[name]; ok {
			m.changes[name] = n
		}
	}
	clear(m.written)
	m.mu.Unlock()
	if before != nil {
		before.close()
	}
	if err := m.removeMarks(s.next.Marks); err != nil {
		m.opts.Log.Error(err, "A file of the memory is left over", "dir", m.opts.Dir)
	}
	return nil
}

// abandon forgets what could not be saved.
func (m *Memory) abandon(s *saving) {
	m.mu.Lock()
	m.next, m.since, m.committed = nil, nil, false
	clear(m.written)
	current := m.current
	m.mu.Unlock()
	if s.notes != nil {
		s.notes.close()
	}
	marks := ""
	if current != nil {
		marks = current.Marks
	}
	if err := m.removeMarks(marks); err != nil {
		m.opts.Log.Error(err, "A file of the memory is left over", "dir", m.opts.Dir)
	}
	if err := m.dir.Sweep(); err != nil {
		m.opts.Log.Error(err, "Files of the memory are left over", "dir", m.opts.Dir)
	}
}

func randomName() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
