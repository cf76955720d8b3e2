package cache

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/memory"
	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// remembered is a kind whose store is saved.
type remembered struct {
	of        *kind
	in        *memory.Memory
	namespace string
	settings  settings
}

var _ memory.Kind = (*remembered)(nil)

// remembered returns the kind as one to save, nil if it is not. Only one that is listed as a whole can be.
func (k *kind) remembered(c *Cache) *remembered {
	m := memory.Of(c)
	if m == nil || !m.Chosen(k.id.gvk) || k.isSecret() && !m.Sealed() {
		return nil
	}
	byName := *k.byName.Load()
	if len(byName) != 1 || k.binding.plainly {
		c.ours.Log.Info("A kind is not saved: it is kept in parts, or client-go decodes it", "kind", k.id.String())
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

func (k *kind) isSecret() bool {
	return k.id.gvk == corev1.SchemeGroupVersion.WithKind("Secret")
}

// recall reads what was saved, and asks the server how it stands to that.
func (r *remembered) recall(ctx context.Context) *reflector.Recalled[any] {
	k := r.of
	if _, err := (&byteReader{of: k, namespace: r.namespace, settings: r.settings}).client(ctx); err != nil {
		return nil // the list will say why
	}
	server := memory.Server{Config: k.binding.api.config, HTTP: k.binding.api.http}
	found := r.in.Recall(ctx, memory.Question{Name: k.id.String(), Kind: r, Server: server, Decode: r.decoder()})
	if found == nil {
		return nil
	}
	k.arrived.Add(1)
	return &reflector.Recalled[any]{
		Objs: found.Objs, Version: found.Version, Now: r.present(ctx),
		RecheckAfter: r.recheckAfter(ctx, found),
	}
}

// Nobody restores a server from a backup in less than unrestored. If the newest object is as it was saved, the server
// has hardly been restored either: only from a backup that is newer than that object, and older than something that was deleted
// before the state was saved.
const (
	unrestored     = 10 * time.Second
	recheckSoon    = 30 * time.Second
	recheckInQuiet = 10 * time.Minute
)

// recheckAfter is when to make certain by a list that the server was not restored from a backup, zero for never.
func (r *remembered) recheckAfter(ctx context.Context, found *memory.Recalled) time.Duration {
	switch {
	case time.Since(found.Saved) < unrestored:
		return 0
	case r.hasNewest(ctx, found.Objs):
		return recheckInQuiet
	default:
		return recheckSoon
	}
}

// Print is memory.Kind's.
func (r *remembered) Print() string {
	var opts metav1.ListOptions
	r.settings.narrow(&opts)
	transformed := ""
	if r.settings.transform != nil { // which may depend on how the program was started
		transformed = r.in.Config()
	}
	layout := ""
	if known := r.imprints(); known != nil {
		layout = known.Print()
	}
	return fmt.Sprintf("%s in %q, labels %q, fields %q, %T of %q, transformed %q", r.of.id, r.namespace, opts.LabelSelector, opts.FieldSelector, r.of.example, layout, transformed)
}

// GroupVersion is memory.Kind's.
func (r *remembered) GroupVersion() string { return r.of.id.gvk.GroupVersion().String() }

// ForgetRecalled is memory.Kind's.
func (r *remembered) ForgetRecalled() { r.of.core.ForgetRecalled() }

// Cut is memory.Kind's.
func (r *remembered) Cut() memory.Cut {
	if !r.of.isMade() {
		return nil
	}
	if cut := r.of.core.Cut(); cut != nil {
		return cutOf{cut}
	}
	return nil
}

// cutOf is a cut for a memory.
type cutOf struct{ *engine.Cut[any] }

func (c cutOf) All() iter.Seq2[delta.Key, any] { return c.Cut.All() }

// At is memory.Cut's.
func (c cutOf) At() (version string, changes uint64, whole bool) {
	return c.Version, c.Changes, !c.TakenBack
}

// answerWithin is how long the server may take to say how it stands to what was saved.
const answerWithin = 3 * time.Second

// noName is one that no object has.
const noName = "."

// present returns the version that the server has at least, empty if it does not say. It watches objects of a name that
// does not exist, from their initial events on: the bookmark at their end has the newest version, and is all there is.
func (r *remembered) present(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	c, err := (&byteReader{of: r.of, namespace: r.namespace, settings: r.settings}).client(ctx)
	if err != nil {
		return ""
	}
	initial, seconds := true, int64(2*answerWithin/time.Second)
	stream, err := c.Watch(ctx, metav1.ListOptions{
		FieldSelector: "metadata.name=" + noName, SendInitialEvents: &initial, AllowWatchBookmarks: true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, TimeoutSeconds: &seconds,
	})
	if err != nil {
		return ""
	}
	defer stream.Close()
	event, err := stream.Next(ctx)
	if err != nil || !event.InitialEnd {
		return ""
	}
	return event.Version
}

// hasNewest reports whether the server has the newest of the objects as it was saved.
func (r *remembered) hasNewest(ctx context.Context, objs []any) bool {
	newest, highest := client.Object(nil), uint64(0)
	for _, obj := range objs {
		about, ok := obj.(client.Object)
		if !ok {
			continue
		}
		version, err := strconv.ParseUint(about.GetResourceVersion(), 10, 64)
		if err == nil && version > highest {
			newest, highest = about, version
		}
	}
	if newest == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	found, err := r.of.binding.find(ctx)
	if err != nil {
		return false
	}
	now, err := found.bytes.version(ctx, newest)
	return err == nil && now.UID == newest.GetUID() && now.ResourceVersion == newest.GetResourceVersion()
}

// version asks for the metadata of one object.
func (s *source) version(ctx context.Context, of client.Object) (*metav1.ObjectMeta, error) {
	got := &metav1.PartialObjectMetadata{}
	data, err := s.client.Get().Resource(s.name).NamespaceIfScoped(of.GetNamespace(), of.GetNamespace() != "").Name(of.GetName()).
		SetHeader("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json").DoRaw(ctx)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, got); err != nil {
		return nil, fmt.Errorf("read the metadata of %s/%s: %w", of.GetNamespace(), of.GetName(), err)
	}
	return &got.ObjectMeta, nil
}

// keepMemory has the kinds saved while the cache runs.
func (c *Cache) keepMemory(group *lifecycle.Group) {
	if m := memory.Of(c); m != nil {
		group.Guest("save the memory", m.Run)
	}
}

// lastWords is how long the last save may take.
const lastWords = 20 * time.Second

// finishMemory saves the kinds once more. No informer and no controller runs any longer.
func (c *Cache) finishMemory(ctx context.Context) {
	m := memory.Of(c)
	if m == nil {
		return
	}
	memory.Take(c)
	ctx, cancel := context.WithTimeout(ctx, lastWords)
	defer cancel()
	if err := m.Finish(ctx); err != nil {
		c.ours.Log.Error(err, "The state could not be saved at the end; what was saved before stays")
	}
}
