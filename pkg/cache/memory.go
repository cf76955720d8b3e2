package cache

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/delta-runtime/delta-runtime/internal/memory"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// remembered is a kind whose objects are saved.
type remembered struct {
	of        *kind
	in        *memory.Memory
	namespace string
	settings  settings
}

var _ memory.Kind = (*remembered)(nil)

// memory returns where the cache's kinds are saved, nil if they are not. See manager.WithMemory.
func (c *Cache) memory() *memory.Memory {
	m, _ := c.runtime.Memory.(*memory.Memory)
	return m
}

// remembered returns the kind as one to save, nil if it is not. Only one that is listed as a whole can be.
func (k *kind) remembered(c *Cache) *remembered {
	m := c.memory()
	if m == nil || !m.Chosen(k.id.gvk) || k.id.gvk == corev1.SchemeGroupVersion.WithKind("Secret") && !m.Sealed() {
		return nil
	}
	byName := *k.byName.Load()
	if len(byName) != 1 {
		c.ours.Log.Info("A kind is not saved: it is kept in parts", "kind", k.id.String())
		return nil
	}
	r := &remembered{of: k, in: m}
	for r.namespace, r.settings = range byName {
	}
	return r
}

// remember has the kind saved from now on. Its informer is there.
func (r *remembered) remember() {
	forget := r.in.AddKind(r.of.id.String(), r)
	r.of.unsave.Store(&forget)
}

// leaveMemory has the kind no longer saved.
func (k *kind) leaveMemory() {
	if forget := k.unsave.Swap(nil); forget != nil {
		(*forget)()
	}
}

// past is the informer's engine.Saved.
func (r *remembered) past(now func(delta.Key) (any, bool)) map[delta.Key]any {
	return r.in.Read(context.Background(), r.of.id.String(), r, now)
}

// Print is memory.Kind's. It leaves out the transform: the next executable may have another one, and then says what has
// changed.
func (r *remembered) Print() string { return r.print(r.settings) }

func (r *remembered) print(s settings) string {
	var opts metav1.ListOptions
	s.narrow(&opts)
	return fmt.Sprintf("%s in %q, labels %q, fields %q, %T", r.of.id, r.namespace, opts.LabelSelector, opts.FieldSelector, r.of.example)
}

// Server is memory.Kind's.
func (r *remembered) Server() memory.Server {
	return memory.Server{Config: r.of.binding.api.config, HTTP: r.of.binding.api.http}
}

// ForgetSaved is memory.Kind's.
func (r *remembered) ForgetSaved() { r.of.core.ForgetSaved() }

// Snapshot is memory.Kind's. It is nil before the list, and where namespaces were added or exchanged since.
func (r *remembered) Snapshot() memory.Snapshot {
	byName := *r.of.byName.Load()
	now, there := byName[r.namespace]
	if !there || len(byName) != 1 || r.print(now) != r.Print() || r.of.core.SyncedIn(r.namespace) != nil {
		return nil
	}
	return r.of.core.Store().View()
}

// The first byte says how a saved object is written.
const (
	savedJSON  = 'j'
	savedProto = 'p'
)

// message is what Go types do that have protobuf messages.
type message interface {
	Marshal() ([]byte, error)
	Unmarshal(data []byte) error
}

// Encode is memory.Kind's.
func (r *remembered) Encode(buf []byte, obj any) ([]byte, error) {
	if reflect.TypeOf(obj) != reflect.TypeOf(r.of.example) {
		return nil, fmt.Errorf("the cache has a %T, and not a %T: a transform has made something of it that can't be read again", obj, r.of.example)
	}
	if o, ok := obj.(runtime.Object); ok && r.of.id.form == typedForm {
		obj = o.DeepCopyObject() // a quantity writes down its text when it is encoded
	}
	form, encode := byte(savedJSON), func() ([]byte, error) { return json.Marshal(obj) }
	if m, ok := obj.(message); ok {
		form, encode = savedProto, m.Marshal
	}
	data, err := encode()
	if err != nil {
		return nil, fmt.Errorf("encode a %T: %w", obj, err)
	}
	return append(append(buf, form), data...), nil
}

// Decode is memory.Kind's.
func (r *remembered) Decode(data []byte) (any, error) {
	if len(data) == 0 {
		return nil, errors.New("a saved object is empty")
	}
	obj := reflect.New(reflect.TypeOf(r.of.example).Elem()).Interface()
	m, proto := obj.(message)
	var err error
	switch {
	case data[0] == savedJSON:
		err = json.Unmarshal(data[1:], obj)
	case data[0] == savedProto && proto:
		err = m.Unmarshal(data[1:])
	default:
		err = errors.New("it is written in a form that this program does not read")
	}
	if err != nil {
		return nil, fmt.Errorf("decode a saved %T: %w", obj, err)
	}
	if typed, ok := obj.(runtime.Object); ok && r.of.id.form == metadataForm {
		typed.GetObjectKind().SetGroupVersionKind(r.of.id.gvk)
	}
	return obj, nil
}

// lastWords is how long the last save may take.
const lastWords = 20 * time.Second

// finishMemory saves the kinds once more. No informer and no controller runs any longer.
func (c *Cache) finishMemory(ctx context.Context) {
	m := c.memory()
	if m == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lastWords)
	defer cancel()
	if err := m.Finish(ctx); err != nil {
		c.ours.Log.Error(err, "The state could not be saved at the end; what was saved before stays")
	}
}
