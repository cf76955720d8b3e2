package memory

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Question is what a kind asks for.
type Question struct {
	Name   string
	Kind   Kind
	Server Server
	// Decode makes an object, and keeps nothing of the bytes. It is given those of one file in their order.
	Decode func([]byte) (any, error)
}

// Recalled is what was saved of a kind.
type Recalled struct {
	Objs    []any
	Version string    // of the server, at which they were so
	Saved   time.Time // when that was
}

// Recall returns what was saved of a kind. It returns nil if there is nothing that can be used, and logs why.
func (m *Memory) Recall(ctx context.Context, q Question) *Recalled {
	m.mu.Lock()
	m.where = q.Server
	delete(m.tags, q.Name) // it may be read for a second time
	m.mu.Unlock()
	if m.loaded == nil {
		return nil
	}
	entry, known := m.loaded.Kinds[q.Name]
	if !known {
		return nil
	}
	objs, err := m.recall(ctx, entry, q)
	if err != nil {
		if ctx.Err() == nil {
			m.opts.Log.Info("The saved state of a kind is not used, it is listed", "kind", q.Name, "why", err.Error())
		}
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changes[q.Name] = uint64(len(objs)) + 1
	m.tags[q.Name] = entry.Schema
	return &Recalled{Objs: objs, Version: entry.Version, Saved: m.loaded.Saved}
}

func (m *Memory) recall(ctx context.Context, entry kindEntry, q Question) ([]any, error) {
	if entry.Print != q.Kind.Print() {
		return nil, errors.New("it was kept with other selectors, namespaces or transforms")
	}
	here, err := m.askUntilAnswered(ctx, q.Server)
	if err != nil {
		return nil, err
	}
	of := q.Kind.GroupVersion()
	switch {
	case !here.sameCluster(m.loaded.Cluster):
		return nil, errors.New("it is that of another cluster")
	case entry.Schema == "", entry.Schema != here.tags[of]:
		return nil, fmt.Errorf("the server describes %s in another way since", of)
	}
	defer collector.wait(m.loaded.Heap)()
	return m.readKind(entry, q.Decode)
}

// readKind reads the objects of a file.
func (m *Memory) readKind(entry kindEntry, decode func([]byte) (any, error)) ([]any, error) {
	r, err := m.dir.Open(entry.File)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	objs := make([]any, 0, min(entry.Objects, 1<<20))
	for {
		data, err := r.Next()
		if errors.Is(err, errEnd) {
			break
		}
		if err != nil {
			return nil, err
		}
		obj, err := decode(data)
		if err != nil {
			return nil, fmt.Errorf("decode object %d of %s: %w", len(objs), entry.File, err)
		}
		objs = append(objs, obj)
	}
	if len(objs) != entry.Objects {
		return nil, fmt.Errorf("%s has %d objects, not %d", entry.File, len(objs), entry.Objects)
	}
	return objs, nil
}
