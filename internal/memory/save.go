package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/memory/savefile"
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
	for lifecycle.Sleep(ctx, rest) {
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

// save writes the kinds that have changed since they were last saved.
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
	dir := m.takeOver()
	if dir == nil {
		return nil
	}
	var errs []error
	names := slices.Sorted(maps.Keys(kinds))
	for _, name := range names {
		k := kinds[name]
		if !old && !m.wasRead(name) && (when == running || isSaved(dir, name)) { // nobody has been told of the past yet: the next process may be
			continue
		}
		if err := m.saveKind(ctx, dir, name, k); err == nil {
			k.failed = ""
		} else if err.Error() != k.failed { // and not each time
			k.failed = err.Error()
			errs = append(errs, fmt.Errorf("save %s: %w", name, err))
		}
	}
	if when == atTheEnd && old { // what this process knows nothing of goes, as its controllers had the time to ask for it
		errs = append(errs, dir.Keep(names...))
	}
	return errors.Join(errs...)
}

// isSaved reports whether there is a file of a kind, in whatever state.
func isSaved(dir *savefile.Dir, name string) bool {
	r, err := dir.Open(name)
	if err == nil {
		_ = r.Close()
	}
	return !errors.Is(err, fs.ErrNotExist)
}

// saveKind writes the file of a kind, unless it is as it was saved.
func (m *Memory) saveKind(ctx context.Context, dir *savefile.Dir, name string, k *remembered) error {
	s := k.Snapshot()
	if s == nil {
		return nil
	}
	defer s.Release()
	digest := m.digest(s)
	if digest == k.saved {
		return nil
	}
	cluster, err := m.where(ctx, k.Server())
	if err != nil {
		return err
	}
	w, err := dir.Create(name, header{Format: format, Saved: time.Now(), Cluster: cluster, Print: k.Print()}.text())
	if err != nil {
		return err
	}
	defer w.Abandon()
	if err := write(ctx, w, k, s); err != nil {
		return err
	}
	k.saved = 0 // after an error nobody knows which of them is there
	if err := w.Finish(); err != nil {
		return err
	}
	k.saved = digest
	m.hasRead(name) // or this process would take what is saved now for the past
	return nil
}

// digest tells two states of a kind apart.
func (m *Memory) digest(s Snapshot) uint64 {
	sum := uint64(1) // of no objects
	for key, obj := range s.All() {
		sum += maphash.Comparable(m.seed, identify(key, obj))
	}
	return max(sum, 1)
}

func write(ctx context.Context, w *savefile.Writer, by Codec, s Snapshot) (err error) {
	var buf []byte
	for key, obj := range s.All() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if buf, err = by.Encode(identify(key, obj).append(buf[:0]), obj); err != nil {
			return fmt.Errorf("encode %s: %w", key, err)
		}
		if err := w.Record(buf); err != nil {
			return err
		}
	}
	return nil
}
