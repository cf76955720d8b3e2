package memory

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/memory/savefile"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// format is the version of what is in the files.
const format = 3

// header is what the file of a kind begins with.
type header struct {
	Format  int
	Saved   time.Time
	Cluster string
	Print   string // of the selectors and the like
}

func (h header) text() []byte {
	text, _ := json.Marshal(h) // such fields can always be written
	return text
}

func parseHeader(text []byte) (h header, err error) {
	err = json.Unmarshal(text, &h)
	switch {
	case err != nil && (h.Format == 0 || h.Format == format): // another format may have other fields
		return h, fmt.Errorf("read the header: %w", err)
	case h.Format != format:
		return h, fmt.Errorf("it has the format %d, and this program reads %d", h.Format, format)
	}
	return h, nil
}

// Read returns what was saved of a kind. It returns nil if there is nothing that can be used, and logs why. An object that now
// has in the state that was saved is not decoded.
func (m *Memory) Read(ctx context.Context, name string, k Kind, now func(delta.Key) (any, bool)) map[delta.Key]any {
	if m.wasRead(name) { // the kind was removed, and somebody has asked for it again
		return nil
	}
	m.open()
	objs, err := m.readKind(ctx, name, k, now)
	if !errors.Is(err, errWhich) { // else the next process may learn it
		m.hasRead(name) // and not before: then a save could come first
	}
	if err != nil {
		m.opts.Log.Info("What was saved of a kind is not used, so nobody is told what has changed since", "kind", name, "why", err.Error())
		return nil
	}
	return objs
}

// hasRead has what was saved of a kind give way to what is there now.
func (m *Memory) hasRead(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told[name] = true
}

func (m *Memory) wasRead(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.told[name]
}

// readKind returns nil if nothing was saved.
func (m *Memory) readKind(ctx context.Context, name string, k Kind, now func(delta.Key) (any, bool)) (map[delta.Key]any, error) {
	dir, _ := m.current()
	if dir == nil {
		return nil, nil //nolint:nilnil // nothing is not an error
	}
	r, err := dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nothing is not an error
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	if err := m.usable(ctx, r.Header(), k); err != nil {
		return nil, err
	}
	return readObjects(r, k, now)
}

// errWhich says that what was saved may be used another time.
var errWhich = errors.New("nobody could say whether it is that of this cluster")

// usable returns why what was saved of a kind is not about what the kind has now.
func (m *Memory) usable(ctx context.Context, begin []byte, k Kind) error {
	h, err := parseHeader(begin)
	if err != nil {
		return err
	}
	if h.Print != k.Print() {
		return errors.New("it was kept with other selectors, namespaces or another form")
	}
	cluster, err := m.where(ctx, k.Server())
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errWhich, err)
	case cluster != h.Cluster:
		return errors.New("it is that of another cluster")
	default:
		return nil
	}
}

func readObjects(r *savefile.Reader, by Codec, now func(delta.Key) (any, bool)) (map[delta.Key]any, error) {
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
