package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/savefile"
)

const (
	// every is how often the state is saved if nobody says.
	every = 30 * time.Second
	// share of a processor that saving may take: it rests for this many times as long as it took, well or not.
	share = 100
	// pastFor is how long what was saved is kept for controllers that have not started, as they are not the leader. Until then
	// a kind whose past nobody has asked for is not saved.
	pastFor = 10 * time.Minute
)

// moment is when a state is saved.
type moment uint8

const (
	running moment = iota + 1
	atTheEnd
)

// Run saves now and then, until ctx ends.
func (m *Memory) Run(ctx context.Context) {
	soonest := cmp.Or(m.opts.Every, every)
	rest := soonest
	for sleep(ctx, rest) {
		began := time.Now()
		if err := m.save(ctx, running); err != nil && ctx.Err() == nil {
			m.opts.Log.Error(err, "The state could not be saved; what was saved before stays", "dir", m.opts.Dir)
		}
		rest = max(soonest, share*time.Since(began))
	}
}

// Finish saves once more, and lets go of the directory.
func (m *Memory) Finish(ctx context.Context) error {
	return errors.Join(m.save(ctx, atTheEnd), m.Close())
}

// save writes the kinds that have changed since they were last saved, and then the manifest.
func (m *Memory) save(ctx context.Context, when moment) error {
	m.mu.Lock()
	kinds, old := maps.Clone(m.kinds), !m.began.IsZero() && time.Since(m.began) >= pastFor
	m.mu.Unlock()
	if len(kinds) == 0 {
		return nil
	}
	m.open()
	m.turn <- struct{}{}
	defer func() { <-m.turn }()
	if old {
		for _, k := range kinds {
			k.ForgetSaved()
		}
	}
	if !m.takeOver() {
		return nil
	}
	var errs []error
	next, wrote := m.following(), false
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		k := kinds[name]
		m.mu.Lock()
		due := k.read || old || when == atTheEnd
		m.mu.Unlock()
		if !due {
			continue
		}
		did, err := m.saveKind(ctx, name, k, next)
		if wrote = wrote || did; err == nil {
			k.failed = ""
		} else if err.Error() != k.failed { // and not each time
			k.failed = err.Error()
			errs = append(errs, fmt.Errorf("save %s: %w", name, err))
		}
	}
	if when == atTheEnd { // what this process knows nothing of goes
		maps.DeleteFunc(next.Kinds, func(name string, _ entry) bool { return kinds[name] == nil })
	}
	if wrote {
		errs = append(errs, m.commit(next, kinds))
	}
	return errors.Join(errs...)
}

// following is a manifest that has what the one before it has.
func (m *Memory) following() *manifest {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := &manifest{Format: format, Saved: time.Now(), Kinds: map[string]entry{}}
	if m.found != nil {
		next.Cluster = m.found.Cluster
		maps.Copy(next.Kinds, m.found.Kinds)
	}
	return next
}

// saveKind writes the file of a kind, unless it is as it was saved. It reports whether it did.
func (m *Memory) saveKind(ctx context.Context, name string, k *remembered, next *manifest) (wrote bool, err error) {
	s := k.Snapshot()
	if s == nil {
		return false, nil
	}
	defer s.Release()
	digest := m.digest(s)
	if digest == k.saved {
		return false, nil
	}
	cluster, err := m.where(ctx, k.Server())
	if err != nil {
		return false, err
	}
	if cluster != next.Cluster {
		next.Cluster, next.Kinds = cluster, map[string]entry{}
	}
	file, err := m.write(ctx, name, k, s)
	if err != nil {
		return false, err
	}
	next.Kinds[name] = entry{File: file, Print: k.Print()}
	k.saved = digest
	return true, nil
}

// digest tells two states of a kind apart.
func (m *Memory) digest(s Snapshot) uint64 {
	sum := uint64(1) // of no objects
	for key, obj := range s.All() {
		sum += maphash.Comparable(m.seed, identify(key, obj))
	}
	return max(sum, 1)
}

func (m *Memory) write(ctx context.Context, name string, k Kind, s Snapshot) (file string, err error) {
	w, err := m.dir.Create(name, []byte(name))
	if err != nil {
		return "", err
	}
	defer w.Abandon()
	var buf []byte
	for key, obj := range s.All() {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if buf, err = k.Encode(identify(key, obj).append(buf[:0]), obj); err != nil {
			return "", fmt.Errorf("encode %s: %w", key, err)
		}
		if err := w.Record(buf); err != nil {
			return "", err
		}
	}
	return w.Finish()
}

// commit makes what was written what counts.
func (m *Memory) commit(next *manifest, kinds map[string]*remembered) error {
	err := m.dir.Commit(next.text(), next.files())
	if err != nil {
		for _, k := range kinds { // nobody knows which of them are there
			k.saved = 0
		}
		return errors.Join(fmt.Errorf("commit what was saved: %w", err), sweep(m.dir))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.found = next
	return nil
}

func sweep(dir *savefile.Dir) error {
	if err := dir.Sweep(); err != nil {
		return fmt.Errorf("remove files that are left over: %w", err)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
