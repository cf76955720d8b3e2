package manager

import (
	"context"
	"encoding/json"
	"reflect"
	"weak"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/ledger/writes"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// NewClient is client.New, and the client remembers what it has written; see
// [RecordWrites]. It fits a manager's options.
func NewClient(config *rest.Config, options client.Options) (client.Client, error) {
	var alone settings
	return alone.recorded(client.New)(config, options)
}

// recorded has the clients that are made remember what they write: in the settings' writes, or each in its own
// if there are none. A client knows the Runtime of its manager, in case somebody wraps the cache.
func (s *settings) recorded(make client.NewClientFunc) client.NewClientFunc {
	return func(config *rest.Config, options client.Options) (client.Client, error) {
		found, _ := s.made.LoadAndDelete(config)
		var of *managed.Runtime // nil if no cache of ours was made with this config
		if made, ok := found.(weak.Pointer[managed.Runtime]); ok {
			of = made.Value()
		}
		made, err := make(config, options)
		if err != nil || made == nil || options.DryRun != nil && *options.DryRun {
			return made, err
		}
		noting := recordWrites(leadingTo(made, of), s.writes, of)
		if of != nil {
			of.Writes = OwnWrites(noting)
		}
		return noting, nil
	}
}

// leadingTo returns a client that another manager may have, too, as one that knows the Runtime of this one.
func leadingTo(c client.Client, of *managed.Runtime) client.Client {
	switch shared := c.(type) {
	case *recordingClient:
		own := *shared
		own.runtime = of
		return &own
	case *recordingWatcher:
		own := *shared.recordingClient
		own.runtime = of
		return &recordingWatcher{recordingClient: &own, watcher: shared.watcher}
	default:
		return c
	}
}

// RecordWrites returns a client that does what c does, and notes in writes what came of
// it. Writes are what [NewWrites] made, or [OwnWrites] of another client. With anything else it
// makes some; a client that notes already stays as it is then. Several
// clients may share one, and then each takes what the others wrote for its own. In a
// manager all controllers share the manager's client: one that wants to hear of the
// others' writes needs a client with writes of its own.
//
// A version counts as written by us if it is known over which version we wrote it:
//
//   - Create, whose object was not there before
//   - Update, also of a subresource, of an object with a resourceVersion, as it comes
//     from a read
//   - Patch with a resourceVersion in the patch, as from
//     client.MergeFromWithOptimisticLock
//   - Apply of a configuration with a resourceVersion
//   - Delete with a precondition on the UID
//
// The server refuses these if somebody has written in between. After other writes it
// answers with a version that may be somebody else's, if there was nothing left to
// change. So they are not noted, and neither are JSON patches, DeleteAllOf, the creation
// of subresources, dry runs, and what was answered with an error or not at all. Nothing
// is noted either of a write that changed nothing, and of an update that took the last
// finalizer of an object away, and with it the object.
//
// It relies on c to send each write as it is, and not to try one again over another
// version; on servers that keep to these preconditions, as kube-apiserver does for all
// its kinds; and on versions that do not come again: after etcd is restored from a
// backup, restart the controllers. Two clients that delete a Pod at once without grace
// may both be told that they did.
func RecordWrites(c client.Client, shared delta.OwnWrites) client.Client {
	return recordWrites(c, shared, nil)
}

// recordWrites is RecordWrites for the client of a manager.
func recordWrites(c client.Client, shared delta.OwnWrites, of *managed.Runtime) client.Client {
	noted, ours := shared.(*writes.Writes)
	if !ours || noted == nil {
		if OwnWrites(c) != nil {
			return c
		}
		noted = writes.New(0)
	}
	noted.KnowKinds(func(obj delta.Object) (schema.GroupVersionKind, error) { return c.GroupVersionKindFor(obj) })
	recording := &recordingClient{Client: c, writes: noted, runtime: of}
	if watcher, ok := c.(client.WithWatch); ok {
		return &recordingWatcher{recordingClient: recording, watcher: watcher}
	}
	return recording
}

// OwnWrites returns what a client has written, for [predicate.NotOwnWrite]. It is nil if
// the client does not remember.
//
// [predicate.NotOwnWrite]: https://pkg.go.dev/github.com/delta-runtime/delta-runtime/pkg/predicate#NotOwnWrite
func OwnWrites(c client.Client) delta.OwnWrites {
	if remembers, ok := c.(interface{ OwnWrites() delta.OwnWrites }); ok {
		return remembers.OwnWrites()
	}
	return nil
}

// recordingClient is a client that notes what came of its writes.
type recordingClient struct {
	client.Client
	writes  *writes.Writes
	runtime *managed.Runtime // nil if the client is not of a manager over our cache
}

var _ client.Client = (*recordingClient)(nil)

// OwnWrites is how a builder finds them.
func (c *recordingClient) OwnWrites() delta.OwnWrites { return c.writes }

// Runtime is how a builder and an inspector find what runs over a cache that somebody has wrapped.
func (c *recordingClient) Runtime() managed.Handle { return c.runtime.Handle() }

// Create is noted unless it is a dry run.
func (c *recordingClient) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	send := func() error { return c.Client.Create(ctx, obj, opts...) }
	if isDry((&client.CreateOptions{}).ApplyOptions(opts).AsCreateOptions().DryRun) {
		return send()
	}
	return c.note(obj, "", send)
}

// Update is noted if it is one of a certain version.
func (c *recordingClient) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	send := func() error { return c.Client.Update(ctx, obj, opts...) }
	over := obj.GetResourceVersion()
	if over == "" || isDry((&client.UpdateOptions{}).ApplyOptions(opts).AsUpdateOptions().DryRun) {
		return send()
	}
	return c.note(obj, over, send)
}

// Patch is noted if it is one of a certain version.
func (c *recordingClient) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	if isDry((&client.PatchOptions{}).ApplyOptions(opts).AsPatchOptions().DryRun) {
		return c.Client.Patch(ctx, obj, patch, opts...)
	}
	return c.notePatch(obj, obj, patch, func(patch client.Patch) error { return c.Client.Patch(ctx, obj, patch, opts...) })
}

// Apply is noted if it is one of a certain version.
func (c *recordingClient) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	send := func() error { return c.Client.Apply(ctx, obj, opts...) }
	if isDry((&client.ApplyOptions{}).ApplyOptions(opts).AsPatchOptions().DryRun) {
		return send()
	}
	return c.noteApply(obj, obj, send)
}

// Delete is noted if it is one of a certain object.
func (c *recordingClient) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	how := (&client.DeleteOptions{}).ApplyOptions(opts).AsDeleteOptions()
	if how.Preconditions == nil || how.Preconditions.UID == nil || isDry(how.DryRun) {
		return c.Client.Delete(ctx, obj, opts...)
	}
	uid := *how.Preconditions.UID
	defer c.begin(obj)()
	err := c.Client.Delete(ctx, obj, opts...)
	if err == nil {
		c.writes.WroteLast(uid)
	}
	return err
}

// Status writes the status with the client's own Status, which need not be its SubResource.
func (c *recordingClient) Status() client.SubResourceWriter {
	to := c.Client.Status()
	if read, ok := to.(client.SubResourceReader); ok { // which client.Client does not promise, and controller-runtime's does
		return &recordingSubresourceClient{read, recordingSubresource{to, c}}
	}
	return &recordingSubresource{to, c}
}

// SubResource writes a subresource.
func (c *recordingClient) SubResource(name string) client.SubResourceClient {
	to := c.Client.SubResource(name)
	return &recordingSubresourceClient{to, recordingSubresource{to, c}}
}

// begin notes that a write of obj is on its way. Of one that is created it may be that
// the server names it.
func (c *recordingClient) begin(obj client.Object) (end func()) {
	key := delta.Key{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	if key.Name == "" {
		key = writes.Unnamed(key.Namespace, obj.GetGenerateName())
	}
	gvk, err := c.GroupVersionKindFor(obj)
	if err != nil {
		gvk = schema.GroupVersionKind{} // any; the write itself says what is wrong
	}
	return c.writes.Begin(gvk.GroupKind(), key)
}

// note sends a write over a certain version, which the answer goes into obj of.
func (c *recordingClient) note(obj client.Object, over string, send func() error) error {
	defer c.begin(obj)()
	err := send()
	if err == nil {
		c.writes.Wrote(obj.GetUID(), over, obj.GetResourceVersion())
	}
	return err
}

// notePatch sends a patch for obj. The answer goes into answer, which is the same unless
// a subresource has a form of its own.
func (c *recordingClient) notePatch(obj, answer client.Object, patch client.Patch, send func(client.Patch) error) error {
	heard := &overheard{Patch: patch, begin: func() func() { return c.begin(obj) }, answered: func() {}}
	defer func() { heard.answered() }()
	err := send(heard)
	if err == nil && heard.over != "" {
		c.writes.Wrote(answer.GetUID(), heard.over, answer.GetResourceVersion())
	}
	return err
}

// overheard is a patch that is looked at when it is sent, since it is made then.
type overheard struct {
	client.Patch
	begin    func() (end func())
	over     string // the version that it is for; empty if that does not matter to it
	answered func()
}

// Data is the patch's.
func (o *overheard) Data(obj client.Object) ([]byte, error) {
	data, err := o.Patch.Data(obj)
	o.answered() // what was begun for an earlier try
	o.answered, o.over = func() {}, ""
	if err == nil && o.Type() != types.JSONPatchType {
		if o.over = versionIn(data); o.over != "" {
			o.answered = o.begin()
		}
	}
	return data, err
}

// versionIn is the resourceVersion in a merge patch or an apply configuration, read as
// a server reads it: what is spelled otherwise does not count, and of two the last.
func versionIn(data []byte) (version string) {
	var patch, metadata map[string]json.RawMessage
	if json.Unmarshal(data, &patch) != nil || json.Unmarshal(patch["metadata"], &metadata) != nil ||
		json.Unmarshal(metadata["resourceVersion"], &version) != nil {
		return "" // there is none, or the server will say what is wrong
	}
	return version
}

// noteApply sends a configuration for obj. The answer goes into answer, which is the
// same unless a subresource has a form of its own.
func (c *recordingClient) noteApply(obj, answer runtime.ApplyConfiguration, send func() error) error {
	over := fieldOf(answer, "ResourceVersion")
	if over == "" {
		return send()
	}
	defer c.beginApply(obj)()
	err := send()
	if err == nil {
		c.writes.Wrote(types.UID(fieldOf(answer, "UID")), over, fieldOf(answer, "ResourceVersion"))
	}
	return err
}

// configured is what every generated configuration can say.
type configured interface {
	GetName() *string
	GetNamespace() *string
	GetKind() *string
	GetAPIVersion() *string
}

func (c *recordingClient) beginApply(obj runtime.ApplyConfiguration) (end func()) {
	switch obj := obj.(type) {
	case client.Object:
		return c.begin(obj)
	case configured:
		kind := schema.FromAPIVersionAndKind(ptr.Deref(obj.GetAPIVersion(), ""), ptr.Deref(obj.GetKind(), "")).GroupKind()
		return c.writes.Begin(kind, delta.Key{Namespace: ptr.Deref(obj.GetNamespace(), ""), Name: ptr.Deref(obj.GetName(), "")})
	default: // the write itself says that it is neither
		return func() {}
	}
}

// fieldOf is a field of the metadata of a configuration. Generated ones have no methods
// for it.
func fieldOf(obj runtime.ApplyConfiguration, name string) string {
	if o, ok := obj.(client.Object); ok {
		if name == "UID" {
			return string(o.GetUID())
		}
		return o.GetResourceVersion()
	}
	v := reflect.Indirect(reflect.ValueOf(obj))
	if v.Kind() != reflect.Struct {
		return ""
	}
	field, ok := v.Type().FieldByName(name)
	if !ok {
		return ""
	}
	at, err := v.FieldByIndexErr(field.Index) // there may be no metadata at all
	if err != nil || at.Kind() != reflect.Pointer || at.IsNil() || at.Elem().Kind() != reflect.String {
		return ""
	}
	return at.Elem().String()
}

func isDry(run []string) bool { return len(run) > 0 }
