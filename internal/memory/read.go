package memory

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/savefile"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Read returns what was saved of a kind. It returns nil if there is nothing that can be used, and logs why. An object that now
// has in the state that was saved is not decoded.
func (m *Memory) Read(ctx context.Context, name string, k Kind, now func(delta.Key) (any, bool)) map[delta.Key]any {
	m.open()
	m.mu.Lock()
	if r := m.kinds[name]; r != nil {
		r.read = true
	}
	found, dir := m.found, m.dir
	m.mu.Unlock()
	if found == nil {
		return nil
	}
	of, known := found.Kinds[name]
	if !known {
		return nil
	}
	var objs map[delta.Key]any
	err := m.usable(ctx, found, of, k)
	if err == nil {
		objs, err = readFile(dir, of.File, k, now)
	}
	if err != nil {
		m.opts.Log.Info("What was saved of a kind is not used, so nobody is told what has changed since", "kind", name, "why", err.Error())
		return nil
	}
	return objs
}

// usable returns why what was saved of a kind is not about what the kind has now.
func (m *Memory) usable(ctx context.Context, found *manifest, of entry, k Kind) error {
	if of.Print != k.Print() {
		return errors.New("it was kept with other selectors, namespaces or another form")
	}
	cluster, err := m.where(ctx, k.Server())
	if err == nil && cluster != found.Cluster {
		err = errors.New("it is that of another cluster")
	}
	return err
}

func readFile(dir *savefile.Dir, name string, by Codec, now func(delta.Key) (any, bool)) (map[delta.Key]any, error) {
	r, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	objs := map[delta.Key]any{}
	for {
		record, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return objs, nil
		case err != nil:
			return nil, err
		}
		about, rest, err := parseIdentity(record)
		if err != nil {
			return nil, err
		}
		obj, there := now(about.key)
		if !there || identify(about.key, obj) != about {
			if obj, err = by.Decode(rest); err != nil {
				return nil, err
			}
		}
		objs[about.key] = obj
	}
}

// identity tells one state of an object from all others.
type identity struct {
	key     delta.Key
	uid     types.UID
	version string
}

func identify(key delta.Key, obj any) identity {
	about := identity{key: key}
	if o, ok := obj.(metav1.Object); ok {
		about.uid, about.version = o.GetUID(), o.GetResourceVersion()
	}
	return about
}

// append is the beginning of a record.
func (i identity) append(buf []byte) []byte {
	for _, s := range []string{i.key.Namespace, i.key.Name, string(i.uid), i.version} {
		buf = append(binary.AppendUvarint(buf, uint64(len(s))), s...)
	}
	return buf
}

var errRecord = errors.New("a record has no identity that can be read")

func parseIdentity(record []byte) (about identity, rest []byte, err error) {
	var parts [4]string
	for i := range parts {
		length, n := binary.Uvarint(record)
		if n <= 0 || length > uint64(len(record)-n) {
			return about, nil, errRecord
		}
		parts[i], record = string(record[n:n+int(length)]), record[n+int(length):] //nolint:gosec // at most the record's
	}
	return identity{delta.Key{Namespace: parts[0], Name: parts[1]}, types.UID(parts[2]), parts[3]}, record, nil
}
